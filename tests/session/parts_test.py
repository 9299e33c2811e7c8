#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Experiment directories on file systems that not all processes see.

usage: parts_test.py MPIEXEC PROBE REPAIR      (exit status 77: mounting is not possible here)
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from launching import setting  # noqa: E402
from file_systems import FileSystem, skip_if_impossible  # noqa: E402

MPIEXEC, PROBE, REPAIR = sys.argv[1:4]  # absolute: a command starts in /


def located(ranks):
    """Names of the files that the threads of these ranks have in an archive."""
    return sorted("%d.%s" % (thread << 32 | rank, kind)
                  for rank in ranks for thread in range(3) for kind in ("evt", "def"))


class PartsTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.place = os.path.join(scratch.name, "place")
        os.mkdir(self.place)
        self.experiment = os.path.join(self.place, "experiment")

    def file_system(self, **more):
        made = FileSystem(self.place, **more)
        self.addCleanup(made.close)
        return made

    def run_probe(self, processes, mode="finalize", **environment):
        """`processes` are (file system, metahost or None) by rank."""
        command = [MPIEXEC]
        for rank, (system, metahost) in enumerate(processes):
            command += [":"] if rank else []
            command += ["-n", "1"]
            if metahost:
                number = str(["FZJ", "CAESAR", "FH"].index(metahost))
                command += setting(MPIEXEC, "LATECOMER_METAHOST_ID", number)
                command += setting(MPIEXEC, "LATECOMER_METAHOST_NAME", metahost)
            command += (system.enter if system else []) + [PROBE, mode]
        env = {k: v for k, v in os.environ.items() if not k.startswith("LATECOMER_")}
        env.update(dict({"LATECOMER_EXPERIMENT_DIRECTORY": self.experiment}, **environment))
        return subprocess.run(command, env=env, timeout=100, text=True, capture_output=True, check=False)

    def files(self, system):
        return system.names(self.experiment + "/traces")

    def bytes(self, system, name):
        return system.run("md5sum", os.path.join(self.experiment, name)).stdout.split()[0]

    def works(self, done):
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def refused(self, done, *parts):
        self.assertEqual(done.returncode, 2, done.stderr)
        lines = done.stderr.splitlines()
        self.assertEqual([line[:6] for line in lines], ["error:", "hint: "], done.stderr)
        for part in parts:
            self.assertIn(part, lines[0])

    def test_each_file_system_has_the_definitions_and_its_own_events(self):
        a, b = self.file_system(), self.file_system()
        self.works(self.run_probe([(a, "FZJ"), (b, "CAESAR"), (b, "CAESAR"), (a, "FZJ")]))
        expected = ["MANIFEST.md", "traces", "traces.def", "traces.otf2"]  # and no records
        self.assertEqual(a.names(self.experiment), expected)
        self.assertEqual(b.names(self.experiment), expected)
        self.assertEqual(self.files(a), located([0, 3]))
        self.assertEqual(self.files(b), located([1, 2]))
        for name in ("traces.otf2", "traces.def", "MANIFEST.md"):
            self.assertEqual(self.bytes(a, name), self.bytes(b, name))
        self.assertFalse(os.path.exists(self.experiment))

    def test_metahosts_may_share_a_file_system(self):
        a, b = self.file_system(), self.file_system()
        self.works(self.run_probe([(a, "FZJ"), (a, "CAESAR"), (a, "FH")]))
        self.assertEqual(self.files(a), located([0, 1, 2]))
        self.works(self.run_probe([(a, "FZJ"), (b, "CAESAR"), (b, "FH")], LATECOMER_OVERWRITE="1"))
        self.assertEqual(self.files(a), located([0]))
        self.assertEqual(self.files(b), located([1, 2]))

    def test_a_metahost_has_its_own_place_if_it_says_so(self):
        a, b = self.file_system(), self.file_system()
        b.run("mkdir", self.place + "/own")
        wrapped = FileSystem.__new__(FileSystem)
        wrapped.enter = b.enter + [
            "env", "LATECOMER_EXPERIMENT_DIRECTORY=" + self.place + "/own/another_name"]
        self.works(self.run_probe([(a, "FZJ"), (wrapped, "CAESAR")]))
        self.assertEqual(self.files(a), located([0]))
        self.assertEqual(b.names(self.place + "/own/experiment/traces"), located([1]))

    def test_a_metahost_that_cannot_make_its_directory_is_named(self):
        a, b, c = self.file_system(), self.file_system(options="ro"), self.file_system(options="ro")
        done = self.run_probe([(a, "FZJ"), (b, "CAESAR"), (b, "CAESAR"), (c, "FH")])
        why = "cannot create experiment directory %s: Read-only file system" % self.experiment
        self.refused(done, "no experiment directory on metahost CAESAR (ranks 1, 2): " + why +
                     "; none on metahost FH (rank 3): " + why)
        self.assertEqual(a.names(self.place), [])

    def test_a_node_without_the_directory_of_its_metahost_is_named(self):
        a, b, c = self.file_system(), self.file_system(), self.file_system()
        done = self.run_probe([(a, "FZJ"), (b, "CAESAR"), (c, "CAESAR")])
        self.refused(done, "no experiment directory on metahost CAESAR (rank 2): " + self.experiment +
                     ", made by rank 1, cannot be seen there")
        self.assertEqual((a.names(self.place), b.names(self.place)), ([], []))

    def test_without_metahosts_there_is_one_directory(self):
        a, b = self.file_system(), self.file_system()
        done = self.run_probe([(a, None), (b, None), (b, None)])
        self.refused(done, "no experiment directory on ranks 1, 2: " + self.experiment +
                     ", made by rank 0, cannot be seen there")
        self.assertIn("LATECOMER_METAHOST_ID", done.stderr)

    def test_an_experiment_that_exists_elsewhere_is_not_overwritten(self):
        a, b = self.file_system(), self.file_system()
        processes = [(a, "FZJ"), (b, "CAESAR")]
        b.run("mkdir", "-p", self.experiment + "/traces", self.experiment + "_2/traces")
        b.run("touch", self.experiment + "/traces/old.evt")
        self.refused(self.run_probe(processes), "no experiment directory on metahost CAESAR (rank 1): "
                     "experiment directory %s exists already" % self.experiment)
        self.assertEqual((a.names(self.place), self.files(b)), ([], ["old.evt"]))
        self.works(self.run_probe(processes, LATECOMER_NEXT="1"))
        for system, rank in ((a, 0), (b, 1)):
            self.assertEqual(system.names(self.experiment + "_3/traces"), located([rank]))
        self.works(self.run_probe(processes, LATECOMER_OVERWRITE="1"))
        self.assertEqual(self.files(b), located([1]))

    def test_no_part_is_left_where_one_cannot_be_written(self):
        """One file after another finds no room. The number of files does not depend on speed,
        unlike bytes."""
        refused = []
        for files in range(8, 25):
            a, b = self.file_system(), self.file_system(options="size=100m,nr_inodes=%d" % files)
            done = self.run_probe([(a, "FZJ"), (b, "CAESAR")])
            self.assertEqual(done.returncode, 0, done.stderr)
            if not done.stderr:
                break
            with self.subTest(files=files):
                found = re.match("error: cannot write %s/(.*): No space left on device\n" % self.experiment, done.stderr)
                self.assertTrue(found, done.stderr)
                refused.append(found.group(1))
                self.assertIn("latecomer collect", done.stderr)
                for system, rank in ((a, 0), (b, 1)):
                    self.assertEqual(system.names(self.experiment), ["records"])
                    self.assertEqual(system.names(self.experiment + "/records"),
                                     sorted("%d.%s" % (rank, kind) for kind in ("def", "0.rec", "1.rec", "2.rec")))
            a.close(), b.close()
        self.assertEqual(refused, ["traces/" + name for kind in ("evt", "def") for name in located([1]) if kind in name] +
                         ["traces.def", "MANIFEST.md", "traces.otf2"])

    def test_parts_of_a_killed_run_are_repaired_on_their_own(self):
        a, b = self.file_system(), self.file_system()
        self.run_probe([(a, "FZJ"), (b, "CAESAR"), (a, "FZJ")], mode="kill")
        for system, ranks, missing in ((a, [0, 2], "rank 1"), (b, [1], "ranks 0, 2")):
            done = system.run(REPAIR, self.experiment)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("without records: %d (%s)" % (3 - len(ranks), missing), done.stdout)
            files = self.files(system)
            self.assertTrue(all("%d.evt" % rank in files for rank in range(3)))
            # The records stay for `latecomer collect`.
            self.assertIn("%d.0.rec" % ranks[0], system.names(self.experiment + "/records"))

    def test_a_complete_part_needs_no_repair(self):
        a, b = self.file_system(), self.file_system()
        self.works(self.run_probe([(a, "FZJ"), (b, "CAESAR")]))
        done = b.run(REPAIR, self.experiment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("nothing was changed", done.stdout)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as somewhere:
        skip_if_impossible(somewhere)
    unittest.main(argv=sys.argv[:1], verbosity=2)
