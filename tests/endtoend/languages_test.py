#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The same program in C, C++, mpif.h, use mpi and use mpi_f08 leaves the same records."""
import os
import re
import sys
import tempfile

from support import MPIEXEC, app, need_app, run, scan

PROGRAMS = ("ring_c", "ring_cpp", "ring_mpifh", "ring_mpi", "ring_f08")


def records(experiment):
    """The records of each location in order, without times and without the program's own name."""
    found = {}
    for line in run(["otf2-print", os.path.join(experiment, "traces.otf2")]).stdout.splitlines():
        match = re.match(r"^([A-Z_]+)\s+(\d+)\s+\d+\s+(.*)$", line)
        if match and not match[1].startswith("PROGRAM"):
            # The texts have names instead of the numbers of strings and regions, which depend on
            # the program.
            text = re.sub(r'("[^"]*") <\d+>', r"\1", match[3])
            found.setdefault(match[2], []).append(match[1] + " " + text)
    return found


def main():
    need_app("ring_f08")
    with tempfile.TemporaryDirectory() as scratch:
        first = None
        for name in PROGRAMS:
            experiment = os.path.join(scratch, name)
            # Call paths are off because the main program of Fortran is not called main.
            done = scan("--yield", "--no-callpath", "-e", experiment, MPIEXEC, "-n", "4", app(name))
            if done.returncode != 0:
                sys.exit("FAILED: %s: status %d\n%s" % (name, done.returncode, done.stderr))
            got = records(experiment)
            if len(got) != 4 or min(len(rows) for rows in got.values()) < 50:
                sys.exit("FAILED: %s: records are missing" % name)
            if first is None:
                first = got
            for location in first:
                if got[location] != first[location]:
                    different = [(a, b) for a, b in zip(first[location], got[location]) if a != b]
                    sys.exit("FAILED: %s differs from C at rank %s: %s" % (name, location, different[:2]))


main()
