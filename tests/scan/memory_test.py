#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Warnings of scan before an analysis that does not fit into memory, and its expectations from an
earlier run."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.environ["SCRIPTS"])
sys.dont_write_bytecode = True
from scan_lib import expectation, memory  # noqa: E402

GB = 1_000_000_000


class Memory(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = scratch.name

    def write(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)

    def test_what_fits(self):
        # 100 million events of 30 bytes and two processes of 32 MB: 3.06 GB, 80 % of 3.83.
        self.assertIsNone(memory.warning(100_000_000, 2, 1, 3.9 * GB))
        self.assertIsNone(memory.warning(100_000_000, 2, 2, 1.95 * GB))
        self.assertIsNone(memory.warning(100_000_000, 2, 1, None))
        self.assertIsNone(memory.warning(0, 2, 1, 1))

    def test_what_does_not(self):
        text = memory.warning(100_000_000, 2, 1, 3.0 * GB)
        self.assertIn("the analysis of 100,000,000 events takes about 3.1 GB of memory, this node has 3.0 GB", text)
        self.assertIn("--from", text)
        self.assertIn("3 nodes like this one have 3.0 GB", memory.warning(100_000_000, 3, 3, GB))

    def test_memory_of_the_machine(self):
        self.assertIsNone(memory.available(self.root))
        self.write("proc/meminfo", "MemTotal: 9000 kB\nMemAvailable: 5000 kB\n")
        self.assertEqual(memory.available(self.root), 5000 * 1024)
        self.write("proc/self/cgroup", "0::/jobs/mine\n")
        self.assertEqual(memory.available(self.root), 5000 * 1024)
        self.write("sys/fs/cgroup/jobs/mine/memory.max", "max\n")
        self.write("sys/fs/cgroup/jobs/memory.max", "3000000\n")
        for group in ("jobs/mine", "jobs"):
            self.write("sys/fs/cgroup/%s/memory.current" % group, "1000000\n")
            self.write("sys/fs/cgroup/%s/memory.stat" % group, "anon 5\ninactive_file 200000\n")
        self.assertEqual(memory.available(self.root), 2_200_000)

    def test_of_this_machine(self):
        self.assertGreater(memory.available(), 1_000_000)


def info(events=500_000, cost="20.0"):
    return {"properties": {"LATECOMER::EVENT_COST": cost}, "duration": 1.0,
            "processes": [{"locations": [{"events": events}]} for _ in range(2)]}


class Expectation(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name
        with open(os.path.join(self.directory, "traces.def"), "wb") as f:
            f.write(b"x" * 2000)

    def expected(self, ranks, log="", **more):
        return expectation.describe(info(**more), self.directory, ranks, 2, log)

    def test_as_before(self):
        self.assertEqual(self.expected(2, "x analysis took 2.000 s\ny analysis took 3.100 s\n"), [
            "expected, as of the earlier run: a trace of about 2.0 kB, 1,000,000 events",
            "expected: measuring costs about 1.0 % of the run time",
            "expected: the analysis takes about 94 MB of memory and about 3 s"])
        self.assertEqual(self.expected(None), self.expected(2))

    def test_more_ranks(self):
        lines = self.expected(8, "analysis took 0.100 s")
        self.assertIn("earlier run on 2 ranks: a trace of about 8.0 kB, 4,000,000 events", lines[0])
        self.assertIn("184 MB of memory and less than a second", lines[2])

    def test_archives_that_do_not_tell(self):
        self.assertEqual(expectation.describe({}, self.directory, 2, 2, ""), [])
        self.assertEqual(self.expected(2, events=0), [])
        self.assertEqual(len(self.expected(2, cost="much")), 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
