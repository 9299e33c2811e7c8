# SPDX-License-Identifier: BSD-3-Clause
"""Helpers of scan's tests: running it in a temporary directory, and checking refusals."""
import os
import subprocess
import sys
import tempfile
import unittest

SCAN, MPIEXEC, ENDS = (os.environ[name] for name in ("SCAN", "MPIEXEC", "ENDS"))


class ScanTest(unittest.TestCase):
    program = SCAN

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name
        self.experiment = os.path.join(self.directory, "experiment")
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith("LATECOMER_")}

    def use_one_mpi(self, name="installation"):
        """From now on scan is that of an installation without measurement libraries for further MPIs."""
        root, build = os.path.join(self.directory, name), os.path.dirname(os.path.dirname(SCAN))
        os.makedirs(os.path.join(root, "lib"))
        os.symlink(os.path.join(build, "bin"), os.path.join(root, "bin"))
        for name in ("liblatecomer.so", "liblatecomer-yield.so"):
            os.symlink(os.path.join(build, "lib", name), os.path.join(root, "lib", name))
        self.program = os.path.join(root, "bin", "scan")

    def scan(self, *words, environment=(), **more):
        return subprocess.run([sys.executable, self.program] + list(words), capture_output=True, text=True,
                              timeout=100, cwd=self.directory,
                              env=dict(self.environment, **dict(environment)), **more)

    def run_ends(self, *way, ranks="2", options=(), **more):
        """Runs ends.c, which ends in the given way, into self.experiment."""
        return self.scan("--yield", *options, "-e", self.experiment, MPIEXEC, "-n", ranks, ENDS, *way,
                         **more)

    def file(self, name):
        return os.path.join(self.experiment, name)

    def text(self, name):
        with open(self.file(name)) as f:
            return f.read()

    def check_not_recorded(self, done, *parts):
        """Checks the program's status 0, one warning and one hint."""
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"\Awarning: .*\nhint:  .*\n\Z")
        for part in parts:
            self.assertIn(part, done.stderr)

    def check_refused(self, done, status, *parts):
        """Checks one error, one hint, the status, and that nothing else was printed."""
        self.assertEqual(done.returncode, status, done.stderr)
        lines = done.stderr.splitlines()
        self.assertEqual([line.split(":")[0] for line in lines], ["error", "hint"], done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)
