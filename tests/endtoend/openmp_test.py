#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Threads of OpenMP: each wait is as long as the program itself measured, at the right construct."""
import collections
import json
import os
import re
import sys
import tempfile
import unittest

from support import LATECOMER, MPIEXEC, analyze, quality, regions, run, scan

PROGRAM = os.environ["OPENMP_WAITS"]
HYBRID = os.environ["HYBRID"]
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "openmp_waits.c")


def line_of(text, number=0):
    """Line of a text in the source of the program."""
    with open(SOURCE) as f:
        return [i for i, line in enumerate(f, 1) if text in line][number]


class OpenMp(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name

    def record(self, *words, **variables):
        experiment = os.path.join(self.directory, "experiment")
        done = scan("--yield", "-e", experiment, *words, cwd=self.directory, env=dict(os.environ, **variables))
        self.assertEqual(done.returncode, 0, done.stderr)
        return experiment, done

    def test_waits(self):
        experiment, done = self.record("--keep-records", MPIEXEC, "-n", "2", PROGRAM)
        expected = {name: int(value) / 1e9 for name, value in re.findall(r"^(\w+) (\d+)$", done.stdout, re.M)}
        self.assertEqual(len(expected), 5, done.stdout)
        rows = run([LATECOMER, "csv", experiment]).stdout
        found = collections.Counter()
        for row in rows.splitlines():
            if row.startswith(("omp_ibarrier_wait,", "omp_ebarrier_wait,", "omp_lock_contention_critical,",
                               "omp_idle_threads,")):
                metric, path, _, _, rank, _, value, _ = row.split(",")
                if rank == "0":
                    found[metric, path.rsplit("/", 1)[-1]] += float(value)
                    found[metric] += float(value)
        parallel = [line_of("#pragma omp parallel", i) for i in range(5)]

        def at(metric, construct, line):
            return found[metric, "!$omp %s @openmp_waits.c:%d" % (construct, line)]

        # A busy machine delays the program between its own clock reading and the record.
        def check(value, name):
            self.assertAlmostEqual(value, expected[name], delta=0.01 + 0.02 * expected[name], msg=(name, found))

        check(at("omp_ibarrier_wait", "implicit barrier", parallel[0]), "region")
        check(at("omp_ebarrier_wait", "barrier", line_of("#pragma omp barrier")), "barrier")
        check(at("omp_ibarrier_wait", "implicit barrier", parallel[2]), "loop")
        check(at("omp_lock_contention_critical", "critical", line_of("#pragma omp critical")), "critical")
        check(at("omp_ibarrier_wait", "implicit barrier", parallel[4]), "tasks")
        self.assertGreater(found["omp_idle_threads"], 2 * 0.03, found)
        shown = json.loads(run([LATECOMER, "show", "--json", experiment]).stdout)
        # Threads that wait yield their core, thousands of times where there are too few.
        self.assertEqual([name for name in quality(shown) if name != "switches_lost"], [])
        reports = []
        for processes in (1, 2, 3):
            report = os.path.join(self.directory, "report")
            self.assertEqual(analyze(experiment, processes, report).returncode, 0)
            with open(report, "rb") as f:
                reports.append(f.read())
        self.assertEqual(reports.count(reports[0]), 3)

    def test_threads_off(self):
        experiment, done = self.record("--threads", "off", MPIEXEC, "-n", "2", HYBRID)
        self.assertIn("2997\n", done.stdout)
        names = [name for name, _, _ in regions(os.path.join(experiment, "traces.otf2")).values()]
        self.assertFalse([name for name in names if "$omp" in name], names)

    def test_sizes_of_teams(self):
        for threads in ("1", "2", "5"):
            experiment, done = self.record("--overwrite", MPIEXEC, "-n", "2", HYBRID, OMP_NUM_THREADS=threads)
            self.assertIn("2997\n", done.stdout)
            text = run(["otf2-print", os.path.join(experiment, "traces.otf2")]).stdout
            self.assertEqual(text.count("THREAD_TEAM_BEGIN"), 2 * int(threads))
            self.assertEqual(text.count("THREAD_TEAM_END"), 2 * int(threads))
            self.assertEqual(text.count("THREAD_FORK"), 2)

    def test_a_runtime_that_only_a_library_sees(self):
        experiment, done = self.record(MPIEXEC, "-n", "1", os.environ["LOADS"], os.environ["PLUGIN"])
        self.assertIn("600\n", done.stdout)
        text = run(["otf2-print", os.path.join(experiment, "traces.otf2")]).stdout
        self.assertEqual(text.count("THREAD_TEAM_BEGIN"), 300)
        self.assertEqual(text.count("THREAD_ACQUIRE_LOCK"), 300)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
