# SPDX-License-Identifier: BSD-3-Clause
"""Helpers of the testbed's tests: running it, or printing why it cannot run on this machine."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

TESTBED, SCAN, BUILD, MPIEXEC = (os.environ[name] for name in ("TESTBED", "SCAN", "BUILD", "MPIEXEC"))
CANNOT = 77
PAIR = re.compile(r"pair (\d+) (\d+) median ([\d.]+) us min ([\d.]+) us rate ([\d.]+) MB/s")


def testbed(*words, timeout=200, **more):
    return subprocess.run([sys.executable, TESTBED] + list(words), capture_output=True, text=True,
                          timeout=timeout, **more)


def main():
    """unittest.main(), or status 77 with the reason if there can be no testbed."""
    probe = testbed("--metahosts", "a,b", "--", "true")
    if probe.returncode == CANNOT:
        print("skipped: " + probe.stderr.splitlines()[0])
        sys.exit(CANNOT)
    unittest.main(verbosity=2)


class TestbedTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name

    def file(self, name, text):
        path = os.path.join(self.directory, name)
        with open(path, "w") as f:
            f.write(text)
        return path

    def pairs(self, ranks, rounds, megabytes, *options):
        """{(a, b): (median, smallest half round trip in us, MB/s)} as seen by an MPI program."""
        done = testbed(*options, "--", MPIEXEC, "-n", str(ranks),
                       os.path.join(BUILD, "bin", "testbed_latency"), str(rounds), str(megabytes))
        self.assertEqual(done.returncode, 0, done.stderr)
        return {(int(a), int(b)): (float(median), float(least), float(rate))
                for a, b, median, least, rate in PAIR.findall(done.stdout)}
