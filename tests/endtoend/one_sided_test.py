#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One-sided communication with a late rank: the wait states, and the calls that they are in."""
import json
import os
import sys
import tempfile
import unittest

from support import LATECOMER, MPIEXEC, analyze, run, scan

PROGRAM = os.environ["ONE_SIDED"]


class OneSided(unittest.TestCase):
    def test_waits(self):
        with tempfile.TemporaryDirectory() as scratch:
            experiment = os.path.join(scratch, "experiment")
            done = scan("--yield", "-e", experiment, MPIEXEC, "-n", "3", PROGRAM)
            self.assertEqual(done.returncode, 0, done.stderr)
            silent = run(["otf2-print", "-A", "--silent", experiment + "/traces.otf2"])
            self.assertEqual(silent.returncode, 0, silent.stderr)
            shown = json.loads(run([LATECOMER, "show", "--json", experiment]).stdout)
            reports = []
            for processes in (1, 2, 3, 5):
                report = os.path.join(scratch, "report")
                self.assertEqual(analyze(experiment, processes, report).returncode, 0)
                with open(report, "rb") as f:
                    reports.append(f.read())
            self.assertEqual(reports.count(reports[0]), 4)
        found = {}
        for state in shown["wait_states"]:
            for path in state["call_paths"]:
                found[state["metric"], path["call_path"][-1]] = path["seconds"]
        # Two ranks wait 300 ms each; a rank that gets no core for a while comes later and waits
        # less.
        self.assertGreater(found["mpi_rma_wait_at_fence", "MPI_Win_fence"], 0.06, found)
        self.assertGreater(found["mpi_rma_early_wait", "MPI_Win_wait"], 0.03, found)
        self.assertGreater(found["mpi_rma_wait_at_free", "MPI_Win_free"], 0.06, found)
        # The MPI library decides which call waits.
        late = sum(seconds for (metric, _), seconds in found.items() if metric.endswith("late_post"))
        self.assertGreater(late, 0.06, found)
        locks = sum(s for (metric, _), s in found.items() if metric.endswith("lock_competition"))
        self.assertGreater(locks, 0.025, found)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
