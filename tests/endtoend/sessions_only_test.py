#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs with sessions and without MPI_Init: all ways to leave, and recording that is off on some
processes."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import launching

SCAN, MPIEXEC, PROGRAM = os.environ["SCAN"], os.environ["MPIEXEC"], os.environ["SESSIONS_ONLY"]
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith("LATECOMER_")}


class SessionsOnly(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.experiment = os.path.join(scratch.name, "experiment")

    def scan(self, *words):
        return subprocess.run([sys.executable, SCAN, "--yield", "-e", self.experiment, MPIEXEC, *words],
                              capture_output=True, text=True, timeout=100, env=CLEAN)

    def test_ways_to_leave(self):
        """No process waits for one that has left, and all records of that process are in the
        archive."""
        for how in ("return", "exit", "_exit", "_Exit", "quick_exit", "vfork"):
            with self.subTest(how):
                done = self.scan("-n", "3", PROGRAM, how)
                self.assertEqual((done.returncode, done.stdout.splitlines()[0]), (0, "done"), done.stderr)
                self.assertNotIn("partial:", done.stderr)
                printed = subprocess.run(["otf2-print", os.path.join(self.experiment, "traces.otf2")],
                                         capture_output=True, text=True).stdout
                self.assertEqual(len(re.findall(r'^ENTER .*"MPI_Allreduce"', printed, re.M)), 15)
                self.assertEqual(len(re.findall("^PROGRAM_END ", printed, re.M)), 3)
                subprocess.run(["rm", "-rf", self.experiment], check=True)

    def test_recording_is_off_on_some(self):
        off = launching.setting(MPIEXEC, "LATECOMER_ENABLE", "0")
        for words in (["-n", "1", PROGRAM, ":", "-n", "2", *off, PROGRAM],
                      ["-n", "1", *off, PROGRAM, ":", "-n", "2", PROGRAM]):
            with self.subTest(" ".join(words)):
                done = self.scan(*words)
                self.assertEqual((done.returncode, done.stdout.splitlines()[0]), (0, "done"), done.stderr)
                self.assertRegex(done.stderr, r"nothing is recorded: recording is switched off "
                                              r"\(LATECOMER_ENABLE=0\) on [12] of 3 processes")


if __name__ == "__main__":
    first = subprocess.run([MPIEXEC, "-n", "1", PROGRAM], capture_output=True, text=True, env=CLEAN).stdout
    if first.startswith("skipped:"):
        print(first, end="")
    else:
        unittest.main()
