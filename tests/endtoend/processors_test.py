#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Notes in every view about cores that ranks share, and about OpenMP threads without records."""
import json
import os
import tempfile
import unittest

from support import LATECOMER, MPIEXEC, app, run, scan

HYBRID = os.environ.get("HYBRID", "")


class Processors(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name

    def record(self, *words, preexec_fn=None, **variables):
        experiment = os.path.join(self.directory, "experiment")
        done = scan("--yield", "-e", experiment, *words, cwd=self.directory, env=dict(os.environ, **variables),
                    preexec_fn=preexec_fn)
        self.assertEqual(done.returncode, 0, done.stderr)
        shown = json.loads(run([LATECOMER, "show", "--json", experiment]).stdout)
        return experiment, done, {note["name"]: note for note in shown["quality"]}

    def test_ranks_that_share_a_core(self):
        core = min(os.sched_getaffinity(0))
        experiment, done, notes = self.record(MPIEXEC, "-n", "3", app("pi"),
                                              preexec_fn=lambda: os.sched_setaffinity(0, {core}))
        self.assertEqual(list(notes), ["shared_cores"])
        self.assertEqual(notes["shared_cores"]["count"], 3)
        sentence = "ranks share 1 core: times are not representative, ranks also wait for a core"
        self.assertEqual(notes["shared_cores"]["text"], sentence)
        # The note is in the summary after the run, and in the archive.
        self.assertIn("note:  3 " + sentence[:40], done.stdout + done.stderr)
        self.assertRegex(run([LATECOMER, "info", experiment]).stdout, r"LATECOMER::SHARED_CORES::CORES +1\n")

    def test_a_rank_alone_has_its_core(self):
        _, _, notes = self.record(MPIEXEC, "-n", "1", app("pi"))
        self.assertEqual(notes, {})

    def test_threads_of_openmp(self):
        if not HYBRID:
            print("skipped: no OpenMP in this compiler")
            return
        _, done, notes = self.record(MPIEXEC, "-n", "2", HYBRID, OMP_NUM_THREADS="3",
                                     LATECOMER_THREADS="off")
        self.assertIn("2997\n", done.stdout)
        self.assertNotIn("openmp_threads", notes)
        self.assertEqual(notes["threads_off"]["count"], 2)
        self.assertIn("processes have had up to 3 threads, of which nothing is recorded (--threads off)",
                      notes["threads_off"]["text"])
        cores = len(os.sched_getaffinity(0))
        self.assertEqual("shared_cores" in notes, cores < 6)
        if cores < 6:
            self.assertEqual(notes["shared_cores"]["count"], 6)

    def test_a_runtime_that_is_linked_statically(self):
        """Also of a program without symbols."""
        program = os.environ.get("HYBRID_STATIC", "")
        if not program:
            print("skipped: no static runtime of OpenMP")
            return
        stripped = os.path.join(self.directory, "stripped")
        run(["strip", "-o", stripped, program])
        for path in (program, stripped):
            experiment, done, notes = self.record("--overwrite", MPIEXEC, "-n", "2", path, OMP_NUM_THREADS="3")
            self.assertIn("2997\n", done.stdout)
            self.assertEqual(notes["openmp_threads"]["count"], 2)
            self.assertIn("processes have up to 3 threads with OpenMP, whose runtime is linked statically into " +
                          os.path.basename(path), notes["openmp_threads"]["text"])
            self.assertIn("link it as a library", notes["openmp_threads"]["text"])
            self.assertRegex(run([LATECOMER, "info", experiment]).stdout,
                             r"LATECOMER::OPENMP::STATIC +%s\n" % os.path.basename(path))

    def test_a_team_of_one_thread_is_none(self):
        if not HYBRID:
            print("skipped: no OpenMP in this compiler")
            return
        _, _, notes = self.record(MPIEXEC, "-n", "2", HYBRID, OMP_NUM_THREADS="1")
        self.assertNotIn("openmp_threads", notes)


if __name__ == "__main__":
    unittest.main()
