#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts the instructions that an analysis takes per event, and compares them with bounds. A count does not depend on
load, so a regression fails here without a clock. What does not grow with the trace cancels: each trace is analyzed
in two lengths, and the difference counts.

  instructions_test.py BIN_DIRECTORY
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
SHORT, LONG = 20_000, 80_000  # events

# Instructions per event on one process, by trace: of the analysis, and of the predictions that only traces of few calls
# get. These are the values that were measured last. Compilers and processors change a few percent (other functions of
# the C library), so more than that is a regression.
TRACES = {
    "stencil of 2 ranks": (["-n", "2", "-p", "halo"], 404, 761),
    "16 ranks, 3 metahosts": (["-n", "16", "-m", "3", "-p", "mixed"], 555, 984),
}
PREDICTIONS = "latecomer::predict::find_gains("
TOLERANCE = 0.08


def inclusive(profile, function):
    """Instructions in calls of a function, with all that it calls. Names are written once, then only their numbers."""
    number = re.search(r"^c?fn=(\(\d+\)) " + re.escape(function), profile, re.M)
    if number is None:
        return 0
    calls = re.finditer(r"^cfn=" + re.escape(number.group(1)) + r"(?: .*)?\n(?:cfi=.*\n|cob=.*\n)*calls=.*\n\S+ (\d+)",
                        profile, re.M)
    return sum(int(call.group(1)) for call in calls)


def instructions(command, scratch):
    """Instructions of a command as callgrind counts them: all but those of predictions, and those."""
    out = scratch / "callgrind.out"
    out.unlink(missing_ok=True)
    done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *map(str, command)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{command[0]}: status {done.returncode}\n{done.stdout}")
    profile = out.read_text()
    predictions = inclusive(profile, PREDICTIONS)
    return int(re.search(r"^(?:summary|totals): (\d+)", profile, re.M).group(1)) - predictions, predictions


def per_event(bin_directory, arguments, scratch):
    """Instructions per event of the analysis and of predictions."""
    found = []
    for events in (SHORT, LONG):
        trace = scratch / f"trace-{events}"
        made = subprocess.run([bin_directory / "latecomer-generate", "-e", str(events), *arguments, trace],
                              stdout=subprocess.PIPE, text=True, check=True)
        counted = json.loads(made.stdout)["events"]
        found.append((counted, instructions([bin_directory / "latecomer-analyzer", "--quiet", trace], scratch)))
        shutil.rmtree(trace)
    (few, less), (many, more) = found
    return [(b - a) / (many - few) for a, b in zip(less, more)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin_directory", type=Path)
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed")
        return SKIPPED
    failed = False
    with tempfile.TemporaryDirectory(prefix="latecomer-instructions.") as scratch:
        for name, (arguments, *expected) in TRACES.items():
            found = per_event(options.bin_directory, arguments, Path(scratch))
            for what, value, usual in zip(("analysis", "predictions"), found, expected):
                most = usual * (1 + TOLERANCE)
                # Without a value the function has another name, and the rest is not the analysis alone.
                bad = value > most or value <= 0
                failed = failed or bad
                print(f"{name}, {what}: {value:.1f} instructions per event, at most {most:.1f}{' FAILED' if bad else ''}")
                if value < usual * (1 - TOLERANCE):
                    print(f"note: the table has {usual}, which is clearly more; lower it")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
