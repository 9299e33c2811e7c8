#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""application_test.py APP RANKS [ARGUMENTS]: records it, and checks archive, report and summary."""
import json
import os
import re
import sys
import tempfile

SUPPORT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support")
sys.path.insert(0, SUPPORT)
from cube_reader import values_of  # noqa: E402
from support import LATECOMER, MPIEXEC, analyze, app, need_app, python_with_otf2, run, scan

READ_ARCHIVE = os.path.join(SUPPORT, "read_archive.py")


def check(condition, text):
    if not condition:
        sys.exit("FAILED: " + text)


def main():
    name, ranks, arguments = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    need_app(name)
    os.environ["OMP_NUM_THREADS"] = "2"
    with tempfile.TemporaryDirectory() as scratch:
        experiment = os.path.join(scratch, "experiment")
        done = scan("--yield", "-e", experiment, MPIEXEC, "-n", str(ranks), app(name), *arguments)
        check(done.returncode == 0, "scan ended with %d:\n%s" % (done.returncode, done.stderr))
        check("WRONG" not in done.stdout, "the program's result is wrong:\n" + done.stdout)
        most = 38 if "Waits of threads" in done.stderr else 28
        check(len(done.stderr.splitlines()) <= most, "more than %d lines of summary:\n%s" % (most, done.stderr))
        check("error" not in done.stderr, "an error was printed:\n" + done.stderr)
        check(not os.path.exists(os.path.join(experiment, "records")), "records/ was left behind")
        for part in ("traces.otf2", "traces.def", "analysis.cubex", "scan.log", "latecomer.cfg",
                     "MANIFEST.md"):
            check(os.path.exists(os.path.join(experiment, part)), part + " is missing")

        # OTF2's own tools can read the archive.
        printed = run(["otf2-print", "-A", "--silent", os.path.join(experiment, "traces.otf2")])
        check(printed.returncode == 0 and "rror" not in printed.stderr,
              "otf2-print complains:\n" + printed.stdout[-500:] + printed.stderr[-500:])
        read = run([python_with_otf2(), READ_ARCHIVE, os.path.join(experiment, "traces.otf2")])
        check(read.returncode == 0, "OTF2's Python module cannot read it:\n" + read.stderr[-500:])
        info = json.loads(run([LATECOMER, "info", "--json", experiment]).stdout)
        processes = info["processes"]
        check(int(read.stdout) == sum(l["events"] for p in processes for l in p["locations"]),
              "OTF2's Python module finds %s events" % read.stdout.strip())
        check(len(processes) == ranks, "the archive has %d processes" % len(processes))
        events = run(["otf2-print", os.path.join(experiment, "traces.otf2")]).stdout.splitlines()
        for process in processes:
            for location in process["locations"]:
                found = sum(1 for line in events
                            if line[:1].isupper() and line.split()[1:2] == [str(location["id"])])
                check(found == location["events"], "location %s: %d events announced, %d there"
                      % (location["id"], location["events"], found))

        # The report has the same bytes for any number of processes, and other readers can read it.
        reports = []
        for number in (1, 2, 3, 4):
            report = os.path.join(scratch, "%d.cubex" % number)
            done = analyze(experiment, number, report)
            check(done.returncode == 0, "the analyzer ended with %d: %s" % (done.returncode, done.stderr))
            with open(report, "rb") as f:
                reports.append(f.read())
            check(reports[-1] == reports[0], "the report of %d processes differs" % number)
        with open(os.path.join(experiment, "analysis.cubex"), "rb") as f:
            check(f.read() == reports[0], "the report that scan made differs")
        visits = values_of(os.path.join(experiment, "analysis.cubex"))["visits"]["values"]
        for call in ("MPI_Init", "MPI_Finalize"):
            rows = [row for path, row in visits.items() if re.fullmatch(call + "(_thread)?", path.rsplit("/", 1)[-1])]
            # Each thread has a column. The first threads of their processes call these functions.
            firsts = [int(l["id"] >> 32 == 0) for p in processes for l in p["locations"]]
            check([sum(column) for column in zip(*rows)] == firsts and sum(firsts) == ranks, "%s: not one visit of each rank: %s" % (call, rows))


main()
