#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Commands that make or read results, while the run that records them is going on: they leave it alone, and say so."""
import json
import os
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
from support import ENDS, MPIEXEC, SCAN, ScanTest  # noqa: E402

LATECOMER = os.path.join(os.path.dirname(SCAN), "latecomer")
SECONDS = 100


class GoingRun(ScanTest):
    def setUp(self):
        super().setUp()
        self.go = os.path.join(self.directory, "go")

    def begin(self):
        """Starts a run that goes on until the file self.go exists; returns scan when all ranks record."""
        run = subprocess.Popen([sys.executable, SCAN, "--yield", "-e", self.experiment, MPIEXEC, "-n", "2", ENDS, "until", self.go],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.directory,
                               env=self.environment)
        self.addCleanup(self.end, run)
        limit = time.monotonic() + SECONDS
        while not all(os.path.exists(self.file("records/%d.0.rec" % rank)) for rank in range(2)):
            self.assertLess(time.monotonic(), limit)
            self.assertIsNone(run.poll())
            time.sleep(0.02)
        return run

    def end(self, run):
        """Lets the run end; returns its status and what it printed to the standard error output."""
        with open(self.go, "w"):
            pass
        if run.stderr.closed:
            return None
        _, errors = run.communicate(timeout=SECONDS)
        return run.returncode, errors

    def check_result(self, run):
        status, errors = self.end(run)
        self.assertEqual(status, 0, errors)
        shown = subprocess.run([LATECOMER, "show", "--json", self.experiment], capture_output=True, text=True, check=True)
        found = json.loads(shown.stdout)
        self.assertEqual((found["run"]["ranks"], found["partial"]), (2, False))

    def latecomer(self, *words):
        return subprocess.run([LATECOMER, *words], capture_output=True, text=True, timeout=SECONDS, check=False)

    def test_commands_during_the_run(self):
        run = self.begin()
        self.check_refused(self.scan("-a", self.experiment), 3, "another scan records or analyzes there", "latecomer watch")
        self.check_refused(self.scan("--yield", "--overwrite", "-e", self.experiment, MPIEXEC, "-n", "2", ENDS), 2,
                           "another scan records or analyzes there")
        for words in (("show",), ("what-if", "--latency", "x0.5"), ("info",), ("repair",)):
            self.check_refused(self.latecomer(*words, self.experiment), 3, "the run is still going: process ",
                               "latecomer watch")
        self.check_result(run)

    def test_repairs_while_the_run_ends(self):
        """The processes make the archive, and nobody else does at the same time."""
        run = self.begin()
        repairs = []
        for turn in range(20):
            if turn == 4:
                with open(self.go, "w"):
                    pass
            repairs.append(subprocess.Popen([LATECOMER, "repair", self.experiment], stdout=subprocess.PIPE,
                                            stderr=subprocess.PIPE, text=True))
            time.sleep(0.05)
        for repair in repairs:
            printed, errors = repair.communicate(timeout=SECONDS)
            if repair.returncode == 0:
                self.assertIn("nothing was changed", printed)
            else:
                self.assertRegex(errors, "still going|another latecomer-repair")
        self.check_result(run)

    def test_scan_again_after_the_run(self):
        """The lock goes with its scan."""
        self.check_result(self.begin())
        done = self.scan("-a", self.experiment)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
