#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""With little memory the report is the same, and a message names the place of the swapped data."""
import os
import resource
import subprocess
import tempfile
import unittest

ANALYZER, GENERATE, MPIEXEC = (os.environ[name] for name in ("ANALYZER", "GENERATE", "MPIEXEC"))


class MemoryLimit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.trace = os.path.join(cls.scratch.name, "trace")
        subprocess.run([GENERATE, "-n", "8", "-e", "300000", "-m", "2", cls.trace], check=True,
                       capture_output=True)

    def analyze(self, *options, processes=2, limit=None, environment=None):
        def limit_files():
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        report = os.path.join(self.scratch.name, "report.cubex")
        done = subprocess.run(
            [MPIEXEC, "-n", str(processes), ANALYZER, "-o", report, *options, self.trace],
            capture_output=True, text=True, timeout=200, preexec_fn=limit_files, restore_signals=False,
            env={**os.environ, "TMPDIR": "", **(environment or {})})
        return done, report

    def report(self, *options, **more):
        done, path = self.analyze(*options, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(path, "rb") as f:
            return f.read(), done.stderr

    def test_same_report(self):
        expected, text = self.report()
        self.assertEqual(text, "")
        for processes in (1, 2, 3):
            report, text = self.report("--memory", "1M", processes=processes)
            self.assertEqual(report, expected)
            self.assertIn("of the trace's data did not fit into --memory and lay in files in "
                          + self.scratch.name, text)
        self.assertEqual(self.report("--memory", "1M", "-q")[1], "")
        self.assertEqual(sorted(os.listdir(self.scratch.name)), ["report.cubex", "report.stat", "trace"])

    def test_directories(self):
        elsewhere = tempfile.TemporaryDirectory()
        self.addCleanup(elsewhere.cleanup)
        _, text = self.report("--memory", "1M", "--spill-directory", elsewhere.name)
        self.assertIn("lay in files in " + elsewhere.name, text)
        _, text = self.report("--memory", "1M", environment={"TMPDIR": elsewhere.name})
        self.assertIn("lay in files in " + elsewhere.name, text)
        # Files in memory are useless for this purpose.
        if os.path.isdir("/dev/shm"):
            _, text = self.report("--memory", "1M", environment={"TMPDIR": "/dev/shm"})
            self.assertIn("lay in files in " + self.scratch.name, text)

    def test_full_disk(self):
        done, _ = self.analyze("--memory", "1M", limit=5 << 20, processes=1)
        self.assertEqual(done.returncode, 3)
        self.assertIn("error: out of memory on analysis process 0: no room for a larger file in "
                      + self.scratch.name + ": File too large\n"
                      "hint:  use another disk (--spill-directory DIR), or more nodes", done.stderr)

    def test_bad_values(self):
        for options, problem in (
                (["--memory", "much"], "--memory much: not a size such as 800M or 8G"),
                (["--memory", "0"], "--memory 0: not a size such as 800M or 8G"),
                (["--spill-directory", "/nowhere"], "--spill-directory /nowhere: not a directory")):
            done, _ = self.analyze(*options)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr, "error: %s\nhint:  latecomer-analyzer --help\n" % problem)


if __name__ == "__main__":
    unittest.main()
