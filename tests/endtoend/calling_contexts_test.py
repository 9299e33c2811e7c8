#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A trace whose events name whole call paths, as tracers that unwind stacks write it. OTF2's own
module writes it here."""
import json
import os
import sys
import tempfile
import unittest

from support import ANALYZER, LATECOMER, MPIEXEC, analyze, python_with_otf2, run

WRITER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "write_contexts.py")

class CallingContexts(unittest.TestCase):
    def test_whole_call_paths(self):
        with tempfile.TemporaryDirectory() as scratch:
            experiment = os.path.join(scratch, "experiment")
            written = run([python_with_otf2(), WRITER, experiment])
            self.assertEqual(written.returncode, 0, written.stderr)
            reports = []
            for processes in (1, 2):
                report = os.path.join(scratch, "report.cubex")
                done = analyze(experiment, processes, report)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                with open(report, "rb") as f:
                    reports.append(f.read())
            self.assertEqual(reports[0], reports[1])
            state = json.loads(run([LATECOMER, "show", "--json", report]).stdout)["wait_states"][0]
            # Rank 0 waits for 3000 ns three times.
            self.assertEqual((state["metric"], round(state["seconds"] * 1e9)), ("mpi_barrier_wait", 9000))
            table = run([LATECOMER, "show", report, "--metric", "time"])
            self.assertEqual(table.returncode, 0, table.stderr)
            times = {" > ".join(line.split()[2:]): line.split()[0] for line in table.stdout.splitlines()[3:]}
            # Inclusive times: 49 us and 2 x 1 us in MPI_Init and MPI_Finalize of main on both
            # ranks; solve from the first barrier to MPI_Finalize: 40 and 37 us; barriers: 3 x (4 +
            # 1) us.
            self.assertEqual(times, {"program": "0.0001020", "main": "0.0001020", "MPI_Init": "0.0000020",
                                     "solve": "0.0000770", "exchange": "0.0000770", "MPI_Barrier": "0.0000150",
                                     "MPI_Finalize": "0.0000020"})
            # A corrected archive keeps the records in their form.
            corrected = os.path.join(scratch, "corrected")
            done = run([MPIEXEC, "-n", "2", ANALYZER, "-q", "-o", report, "--write-corrected", corrected, experiment])
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            prints = [run(["otf2-print", d + "/traces.otf2"]) for d in (experiment, corrected)]
            self.assertEqual([p.returncode for p in prints], [0, 0])
            self.assertEqual(prints[0].stdout, prints[1].stdout)


if __name__ == "__main__":
    sys.exit(unittest.main())
