#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs that are only watched: their records stay in files of a fixed size, and another process that follows them
sees or counts every record.

  rings_test.py MPIEXEC PROBE FOLLOW_RUN      (exit status 77: a test was left out, nothing can be mounted here)
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from file_systems import FileSystem, skip_if_impossible  # noqa: E402

MPIEXEC, PROBE, FOLLOW_RUN = sys.argv[1:4]
# Records of session_probe per process, of thread 0, the early thread and the late one. They are written as fast as a
# core can, which is far above a million per second.
RECORDS = {0: 300008, 1: 30, 2: 3000}
RANKS = 2
SIZE = 128 << 10
HEADER = 4096


class RingsTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="latecomer.")
        self.addCleanup(scratch.cleanup)
        self.base = scratch.name
        self.experiment = os.path.join(self.base, "experiment")
        self.memory = os.path.join(self.base, "memory")
        os.mkdir(self.memory)

    def environment(self, **more):
        env = {name: value for name, value in os.environ.items() if not name.startswith("LATECOMER_")}
        return dict(env, LATECOMER_EXPERIMENT_DIRECTORY=self.experiment, LATECOMER_WATCH="only",
                    LATECOMER_WATCH_SIZE=str(SIZE), LATECOMER_SAMPLE="off", **more)

    def run_probe(self, *mode, enter=(), **more):
        return subprocess.run([*enter, MPIEXEC, "-n", str(RANKS), PROBE, *mode], env=self.environment(**more), text=True,
                              timeout=100, capture_output=True, check=False)

    def follow(self, *late, enter=(), before=False, **more):
        """Runs the probe while it is followed; returns {(rank, thread): its line}."""
        words = [*enter, FOLLOW_RUN, self.experiment, str(RANKS * len(RECORDS)), str(RANKS), *late]
        follower = None if before else subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        # With the name of a run the records stay, as under scan.
        done = self.run_probe(enter=enter, LATECOMER_RUN="test", **more)
        if follower is None:
            follower = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        text = follower.communicate(timeout=200)[0]
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        self.assertEqual(follower.returncode, 0, text)
        self.assertIn("logs complete=%d bad_lines=0" % RANKS, text)
        return {(int(rank), int(thread)): dict((name, int(value)) for name, value in re.findall(r"(\w+)=(\d+)", rest))
                for rank, thread, rest in re.findall(r"^(\d+)\.(\d+)\.rec (.*)$", text, re.M)}

    def check_counts(self, found):
        self.assertEqual(len(found), RANKS * len(RECORDS))
        for (_, thread), one in found.items():
            self.assertEqual(one["seen"] + one["lost"], RECORDS[thread], one)
            self.assertEqual(one["damages"], 0)
            # A thread that ends before its first chunk is full gives the rest of its file back.
            self.assertLessEqual(one["first_size"], SIZE + HEADER)
            self.assertLessEqual(one["last_size"], SIZE + HEADER)
            if thread == 0:
                self.assertEqual((one["first_size"], one["last_size"]), (SIZE + HEADER, SIZE + HEADER))

    def test_every_record_is_seen_or_counted(self):
        self.check_counts(self.follow())

    def test_a_follower_that_comes_at_the_end_counts_what_it_missed(self):
        found = self.follow("late", before=True)
        self.check_counts(found)
        for rank in range(RANKS):
            self.assertGreater(found[rank, 0]["lost"], RECORDS[0] // 2)
            self.assertGreater(found[rank, 0]["seen"], 1000)
            self.assertEqual(found[rank, 1]["lost"], 0)

    def test_records_in_memory(self):
        self.check_counts(self.follow(LATECOMER_WATCH_DIRECTORY=self.memory))
        names = sorted(os.listdir(self.memory))
        self.assertEqual(len(names), RANKS * len(RECORDS))
        for name in names:
            process, record = name.split(".", 1)
            self.assertGreater(int(process), 0)
            self.assertEqual(os.readlink(os.path.join(self.experiment, "records", record)),
                             os.path.join(self.memory, name))

    def test_without_room_in_memory_the_records_are_in_the_experiment(self):
        with FileSystem(self.memory, "size=%d" % (3 * (SIZE + HEADER) + HEADER)) as memory:
            self.check_counts(self.follow(enter=memory.enter, LATECOMER_WATCH_DIRECTORY=self.memory))
            self.assertEqual(len(memory.names(self.memory)), 3)
        records = os.path.join(self.experiment, "records")
        links = [name for name in os.listdir(records) if os.path.islink(os.path.join(records, name))]
        self.assertEqual(len(links), 3)

    def test_without_memory_the_records_are_in_the_experiment(self):
        self.check_counts(self.follow(LATECOMER_WATCH_DIRECTORY=os.path.join(self.base, "missing")))

    def test_nothing_is_left_without_scan(self):
        done = self.run_probe(LATECOMER_WATCH_DIRECTORY=self.memory)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(os.listdir(self.memory), [])
        self.assertEqual(os.listdir(self.experiment), [])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as somewhere:
        skip_if_impossible(somewhere)
    unittest.main(argv=sys.argv[:1], verbosity=2)
