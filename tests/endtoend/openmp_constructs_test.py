#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Constructs of OpenMP beyond loops and barriers, with GCC's and LLVM's runtime: they compute the same
as without the measurement library, and each wait is as long as the program itself measured, within
1 % and 20 us."""
import collections
import os
import re
import sys
import tempfile
import unittest

from support import LATECOMER, MPIEXEC, regions, run, scan

GCC = os.environ.get("CONSTRUCTS", "")
CXX, FORTRAN = (os.environ.get(name, "") for name in ("CONSTRUCTS_CXX", "CONSTRUCTS_FORTRAN"))
LLVM = os.path.join(os.environ["LLVM"], "openmp_constructs_llvm") if os.environ["LLVM"] else ""
RESULTS = "results 5 21 15 3 5050 1124 36 3 34 1 150 11"
# What the program prints, the metric that has it, and the function in which it is.
WAITS = {"single": ("omp_ibarrier_wait", "single"), "copyprivate": ("omp_ibarrier_wait", "copyprivate"),
         "taskloop": ("omp_ibarrier_wait", "taskloop"), "lock": ("omp_lock_contention_api", "locks"),
         "nest_lock": ("omp_lock_contention_api", "nest_locks"), "ordered": ("omp_ordered", "ordered"),
         "doacross": ("omp_ordered", "doacross"), "sections": ("omp_ibarrier_wait", "sections")}
# A busy machine delays the program between its own clock reading and the record. So a wait has to be
# right in one of some runs.
RUNS = 8


def is_right(value, expected):
    return abs(value - expected) <= 20e-6 + 0.01 * expected


class Constructs(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name

    def record(self, program, expected_line, **variables):
        """What the program says of its waits; values by metric and function, and by region in it; the
        names of regions without their places."""
        experiment = os.path.join(self.directory, "experiment")
        done = scan("--yield", "--overwrite", "-e", experiment, MPIEXEC, "-n", "1", program, cwd=self.directory,
                    env=dict(os.environ, **variables))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(expected_line, done.stdout)
        expected = {name: int(value) / 1e9 for name, value in re.findall(r"^(\w+) (\d+)$", done.stdout, re.M)}
        found = collections.Counter()
        for row in run([LATECOMER, "csv", experiment]).stdout.splitlines():
            fields = row.split(",")
            if fields[0].startswith(("omp_", "visits")):
                for place in {part.split("(")[0] for part in fields[1].split("/")}:  # C++: "single()"
                    found[fields[0], place] += float(fields[6])
                    found[fields[0], place, re.sub(r" @.*", "", fields[1].rsplit("/", 1)[-1])] += float(fields[6])
        all_names = [name for name, _, _ in regions(os.path.join(experiment, "traces.otf2")).values()]
        self.assertEqual([name for name in all_names if name.startswith("!$omp") and "libomp" in name], [])
        return expected, found, {re.sub(r" @.*", "", name) for name in all_names}

    def check(self, program, unseen):
        wrong = {name: [] for name in WAITS if name not in unseen}
        for _ in range(RUNS):
            expected, found, names = self.record(program, RESULTS)
            self.assertEqual(expected.keys(), WAITS.keys())
            for name in list(wrong):
                value = found[WAITS[name]]
                if is_right(value, expected[name]):
                    del wrong[name]
                else:
                    wrong[name].append((expected[name], value))
            if not wrong:
                break
        self.assertEqual(wrong, {})
        return found, names

    @unittest.skipUnless(GCC, "no OpenMP in this compiler")
    def test_gcc(self):
        found, names = self.check(GCC, ())
        for name in ("single", "taskloop", "task", "ordered", "for", "sections", "atomic", "target", "target data",
                     "target update", "taskwait"):
            self.assertIn("!$omp " + name, names)
        self.assertLessEqual({"omp_set_lock", "omp_set_nest_lock"}, names)
        # The end of a `single` without a barrier is unknown. The first visit shows that.
        self.assertEqual(found["visits", "single_nowait", "!$omp single"], 1)
        self.assertEqual(found["visits", "locks", "!$omp single"], 200)
        # Tasks: six of the loop with a wait each; all others were executed, too.
        self.assertEqual(found["visits", "taskloop", "!$omp task"], 6)
        self.assertEqual(found["visits", "taskloop_unsigned", "!$omp task"], 4)
        self.assertEqual(found["visits", "task_reduction", "!$omp task"], 3 + 6 + 1)
        self.assertEqual(found["visits", "detached", "!$omp task"], 3 + 2)

    @unittest.skipUnless(GCC, "no OpenMP in this compiler")
    def test_gcc_that_cancels(self):
        self.record(GCC, RESULTS, OMP_CANCELLATION="true")

    @unittest.skipUnless(CXX, "no OpenMP in this compiler")
    def test_gxx(self):
        found, _ = self.check(CXX, ())
        self.assertEqual(found["visits", "taskloop", "!$omp task"], 6)

    @unittest.skipUnless(FORTRAN, "no Fortran for this MPI")
    def test_gfortran(self):
        differences = []
        for _ in range(RUNS):
            expected, found, names = self.record(FORTRAN, "total 21")
            differences.append((expected["lock"], found["omp_lock_contention_api", "openmp_fortran"]))
            if is_right(*differences[-1]):
                break
        else:
            self.fail(differences)
        self.assertLessEqual({"!$omp parallel", "!$omp for", "!$omp single", "!$omp sections", "omp_set_lock"}, names)

    @unittest.skipUnless(LLVM, "no clang with OpenMP")
    def test_llvm(self):
        # Its runtime does not report waits for iterations before.
        found, names = self.check(LLVM, ("doacross",))
        for name in ("single", "taskloop", "task", "ordered", "for", "sections", "taskwait", "taskgroup"):
            self.assertIn("!$omp " + name, names)
        self.assertEqual(found["visits", "single_nowait", "!$omp single"], 5)
        self.assertEqual(found["visits", "taskloop", "!$omp task"], 6)


if __name__ == "__main__":
    if not GCC and not LLVM:
        print("skipped: no clang with OpenMP")
        sys.exit(0)
    unittest.main(argv=sys.argv[:1], verbosity=2)
