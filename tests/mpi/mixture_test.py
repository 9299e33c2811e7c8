#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program plain, and in mixtures of processes that are measured, are not, or do not record.
All runs must end alike and print the same, and the recorded data must name the processes that take
no part.

usage: mixture_test.py MPIEXEC LIBRARY_DIRECTORY RANKS PROGRAM [ARGUMENTS]
"""
import os
import subprocess
import sys
import tempfile

MPIEXEC, LIBRARIES, RANKS = sys.argv[1:4]
COMMAND = sys.argv[4:]
# Settings for ranks that do not record with the others: without the library, or switched off.
WITHOUT, OFF = "unset LD_PRELOAD", "export LATECOMER_ENABLE=0"
MIXTURES = [{0: WITHOUT}, {1: WITHOUT}, {0: WITHOUT, 1: WITHOUT}, {0: OFF}, {1: OFF}, {0: WITHOUT, 1: OFF}]
TO_RANK = 'case "$PMI_RANK$OMPI_COMM_WORLD_RANK" in %s esac; exec "$@"'


def fail(mixture, text):
    sys.exit("FAILED: %s with %s\n%s" % (" ".join(COMMAND), mixture, text))


def run(libraries, scratch, mixture, **more):
    preload = " ".join(os.path.join(LIBRARIES, "lib%s.so" % name) for name in libraries)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LATECOMER_")}
    environment.update(more, LATECOMER_FILES="on")
    wrapper = TO_RANK % " ".join("%d) %s;;" % item for item in mixture.items())
    if not mixture:
        wrapper = 'exec "$@"'
    # MPI does not yield without the library either, which only makes it slower.
    return subprocess.run([MPIEXEC, "-n", RANKS, "env", "LD_PRELOAD=" + preload, "sh", "-c", wrapper, "sh"] + COMMAND,
                          cwd=scratch, env=environment, capture_output=True, text=True, timeout=100, check=False)


def check_records(mixture, recorded, experiment):
    records = os.path.join(experiment, "records")
    others = [rank for rank in range(int(RANKS)) if rank not in mixture]
    if OFF in mixture.values():
        wanted, files = ["nothing is recorded: recording is switched off (LATECOMER_ENABLE=0)"], []
    else:
        missing = sorted(mixture)
        who = "rank %d takes" % missing[0] if len(missing) == 1 else "ranks %s take" % ", ".join(map(str, missing))
        wanted = [who + " no part in the measurement", "%d of %s ranks are recorded" % (len(others), RANKS)]
        files = ["%d.def" % rank for rank in others]
    said = recorded.stderr.splitlines()
    if len(said) != len(wanted) or not all(text in line for text, line in zip(wanted, said)):
        fail(mixture, "said\n%s\nnot %s" % (recorded.stderr, wanted))
    found = sorted(name for name in os.listdir(records) if name.endswith(".def")) if os.path.isdir(records) else []
    if found != files:
        fail(mixture, "records are %s, not %s" % (found, files))


def main():
    with tempfile.TemporaryDirectory() as scratch:
        plain = run(["latecomer-yield"], scratch, {})
        if "skipped:" in plain.stdout:
            print(plain.stdout)
            return
        if plain.returncode != 0 or plain.stderr != "":
            fail("nobody", "plain: status %d\n%s%s" % (plain.returncode, plain.stdout, plain.stderr))
        for number, mixture in enumerate(MIXTURES):
            experiment = os.path.join(scratch, "experiment_%d" % number)
            recorded = run(["latecomer", "latecomer-yield"], scratch, mixture,
                           LATECOMER_EXPERIMENT_DIRECTORY=experiment)
            if (recorded.returncode, recorded.stdout) != (0, plain.stdout):
                fail(mixture, "status %d\n%s%s" % (recorded.returncode, recorded.stdout, recorded.stderr))
            check_records(mixture, recorded, experiment)
    print("ok")


if __name__ == "__main__":
    main()
