#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Threads of OpenMP with LLVM's runtime: the same waits as with GCC's, at the right construct."""
import collections
import json
import os
import re
import sys
import tempfile
import unittest

from support import LATECOMER, MPIEXEC, quality, regions, run, scan

LLVM = os.environ["LLVM"]  # directory of the programs; empty: they could not be built
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "openmp_waits.c")


def program(name):
    return os.path.join(LLVM, name + "_llvm")


def lines_of(text):
    with open(SOURCE) as f:
        return [i for i, line in enumerate(f, 1) if text in line]


class OpenMpOfLlvm(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name

    def record(self, *words, **variables):
        experiment = os.path.join(self.directory, "experiment")
        done = scan("--yield", "--overwrite", "-e", experiment, *words, cwd=self.directory,
                    env=dict(os.environ, **variables))
        self.assertEqual(done.returncode, 0, done.stderr)
        return experiment, done

    def events(self, experiment):
        text = run(["otf2-print", os.path.join(experiment, "traces.otf2")]).stdout
        return collections.Counter(line.split(" ", 1)[0] for line in text.splitlines())

    def test_waits(self):
        experiment, done = self.record(MPIEXEC, "-n", "2", program("openmp_waits"))
        expected = {name: int(value) / 1e9 for name, value in re.findall(r"^(\w+) (\d+)$", done.stdout, re.M)}
        found = collections.Counter()
        for row in run([LATECOMER, "csv", experiment]).stdout.splitlines():
            if row.startswith("omp_"):
                metric, path, _, _, rank, _, value, _ = row.split(",")
                if rank == "0":
                    found[metric, path.rsplit("/", 1)[-1]] += float(value)
                    found[metric] += float(value)
        parallel = lines_of("#pragma omp parallel")

        # A busy machine delays the program between its own clock reading and the record.
        def check(name, metric, construct, line):
            value = found[metric, "!$omp %s @openmp_waits.c:%d" % (construct, line)]
            self.assertAlmostEqual(value, expected[name], delta=0.01 + 0.02 * expected[name], msg=(name, found))

        check("region", "omp_ibarrier_wait", "implicit barrier", parallel[0])
        check("barrier", "omp_ebarrier_wait", "barrier", lines_of("#pragma omp barrier")[0])
        check("loop", "omp_ibarrier_wait", "implicit barrier", lines_of("#pragma omp for")[0])
        check("critical", "omp_lock_contention_critical", "critical", lines_of("#pragma omp critical")[0])
        check("tasks", "omp_ibarrier_wait", "implicit barrier", parallel[4])
        self.assertGreater(found["omp_idle_threads"], 2 * 0.03, found)
        shown = json.loads(run([LATECOMER, "show", "--json", experiment]).stdout)
        # Threads that wait yield their core, thousands of times where there are too few.
        self.assertEqual([name for name in quality(shown) if name != "switches_lost"], [])

    def test_sizes_of_teams(self):
        for threads in (1, 2, 5):
            experiment, done = self.record(MPIEXEC, "-n", "2", program("hybrid"), OMP_NUM_THREADS=str(threads))
            self.assertIn("2997\n", done.stdout)
            found = self.events(experiment)
            self.assertEqual((found["THREAD_TEAM_BEGIN"], found["THREAD_TEAM_END"], found["THREAD_FORK"]),
                             (2 * threads, 2 * threads, 2))

    def test_not_recorded(self):
        for words, variables in ((["--threads", "off"], {}), ([], {"OMP_TOOL": "disabled"}),
                                 ([], {"OMP_TOOL_LIBRARIES": "/nowhere/libtool.so"})):
            experiment, done = self.record(*words, MPIEXEC, "-n", "1", program("hybrid"), **variables)
            self.assertIn("2997\n", done.stdout)
            self.assertEqual(self.events(experiment)["THREAD_TEAM_BEGIN"], 0, variables)

    @unittest.skipUnless("HYBRID" in os.environ, "no OpenMP in this compiler")
    def test_a_program_of_gcc_on_this_runtime(self):
        runtime = re.search(r"libomp\S* => (\S+)", run(["ldd", program("hybrid")]).stdout)
        os.symlink(runtime[1], os.path.join(self.directory, "libgomp.so.1"))
        experiment, done = self.record(MPIEXEC, "-n", "1", os.environ["HYBRID"], OMP_NUM_THREADS="3",
                                       LD_LIBRARY_PATH=self.directory)
        self.assertIn("2997\n", done.stdout)
        self.assertEqual(self.events(experiment)["THREAD_TEAM_BEGIN"], 3)
        names = [name for name, _, _ in regions(os.path.join(experiment, "traces.otf2")).values()]
        self.assertEqual(len([name for name in names if name.startswith("!$omp parallel")]), 1, names)


if __name__ == "__main__":
    if not LLVM:
        print("skipped: no clang with OpenMP")
        sys.exit(0)
    unittest.main(argv=sys.argv[:1], verbosity=2)
