#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Threads that wait for known times, in programs of GCC and of clang, in C, C++ and Fortran: the wait of each thread is
as long as the program itself measured, within 1 % and 20 us, and it is at the right construct, line and thread."""
import collections
import csv
import os
import re
import sys
import tempfile
import unittest

from support import LATECOMER, MPIEXEC, run, scan

PROGRAMS = {name: os.environ.get(name, "") for name in ("EXACT_GCC", "EXACT_GXX", "EXACT_GFORTRAN", "EXACT_CLANG", "EXACT_CLANGXX")}
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "openmp_exact.c")
IMPLICIT = "!$omp implicit barrier"
# Name in the program: the metric and the region. "inner" has the nested teams.
WAITS = {"region": ("omp_ibarrier_wait", IMPLICIT), "barrier": ("omp_ebarrier_wait", "!$omp barrier"),
         "static_loop": ("omp_ibarrier_wait", IMPLICIT), "static_chunks": ("omp_ibarrier_wait", IMPLICIT),
         "dynamic_loop": ("omp_ibarrier_wait", IMPLICIT), "guided_loop": ("omp_ibarrier_wait", IMPLICIT),
         "guided_unsigned": ("omp_ibarrier_wait", IMPLICIT), "guided_at_run_time": ("omp_ibarrier_wait", IMPLICIT),
         "guided_region": ("omp_ibarrier_wait", IMPLICIT), "sections": ("omp_ibarrier_wait", IMPLICIT),
         "single": ("omp_ibarrier_wait", IMPLICIT), "critical": ("omp_lock_contention_critical", "!$omp critical"),
         "tasks": ("omp_ibarrier_starvation", IMPLICIT), "locks": ("omp_lock_contention_api", "omp_set_lock"),
         "nest_locks": ("omp_lock_contention_api", "omp_set_nest_lock"),
         "mutexes": ("pthread_lock_contention_mutex_lock", "pthread_mutex_lock"),
         "conditions": ("pthread_condition_wait", "pthread_cond_wait"), "inner": ("omp_ibarrier_wait", IMPLICIT)}
# GCC calls its runtime at the end of such a loop only, as it does for a barrier of the program.
BY_GCC = {"static_loop": ("omp_ebarrier_wait", "!$omp barrier"), "static_chunks": ("omp_ebarrier_wait", "!$omp barrier")}
# A busy machine delays the program between its own clock reading and the record. So each construct has to be right, for
# all threads at once, in one of some runs.
RUNS = 16


def is_right(value, expected):
    return abs(value - expected) <= 20e-6 + 0.01 * expected


def lines_of_constructs(source):
    """Lines of constructs by their function. Compilers give a call of the runtime the line before the directive, or one
    up to the end of the loop."""
    lines, function = {}, ""
    with open(source) as f:
        text = f.read().splitlines()
    for number, line in enumerate(text, 1):
        function = (re.findall(r"^NOINLINE static void (\w+)|^  subroutine (\w+)", line) or [(function,)])[0]
        function = "".join(function)
        if re.search(r"[/!] waits$", line):
            last = number + 2
            if "do " in line:
                last = number + next(i for i, after in enumerate(text[number:], 1) if "!$omp end" in after)
            lines[function] = range(number - 1, last + 1)
    return lines


class Exact(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name

    def record(self, program, source, waits):
        """What the program measured, and the report's values in the lines of the constructs: by name, and by thread."""
        experiment = os.path.join(self.directory, "experiment")
        done = scan("--yield", "--overwrite", "-e", experiment, MPIEXEC, "-n", "1", program, cwd=self.directory)
        self.assertEqual(done.returncode, 0, done.stderr)
        expected, found = collections.defaultdict(list), {name: collections.Counter() for name in waits}
        for name, thread, value in re.findall(r"^(\w+) (-?\d) (\d+)$", done.stdout, re.M):
            expected[name].append((int(thread), int(value) / 1e9))
        lines = lines_of_constructs(source)
        table = run([LATECOMER, "csv", experiment]).stdout.splitlines()
        for metric, path, _, _, _, thread, value, _ in csv.reader(row for row in table if not row.startswith("#")):
            match = re.match(r"(.*) @%s:(\d+)$" % re.escape(os.path.basename(source)), path.rsplit("/", 1)[-1])
            functions = {re.sub(r".*::|\(.*", "", part) for part in path.split("/")}
            for name in functions.intersection(waits) if match else ():
                if (metric, match[1]) == waits[name] and int(match[2]) in lines[name]:
                    found[name][int(thread)] += float(value)
        return expected, found

    def problem(self, expected, found):
        """What is wrong about one construct; empty: nothing."""
        if any(thread < 0 for thread, _ in expected):
            wanted, values = sorted(value for _, value in expected), sorted(v for v in found.values() if v > 5e-3)
            right = len(wanted) == len(values) and all(map(is_right, values, wanted))
        else:
            # The first thread that wants a lock gets it. The program measured how long the call took.
            wanted = {thread: value for thread, value in expected if value > 0.5e-3}
            right = all(is_right(found[thread], wanted.get(thread, 0)) for thread in {*found, *wanted})
        return "" if right and expected else "found %s, not %s" % (dict(found), expected)

    def check(self, program, source=SOURCE, waits=WAITS):
        problems = {name: [] for name in waits}
        for _ in range(RUNS):
            expected, found = self.record(program, source, waits)
            for name in list(problems):
                problems[name].append(self.problem(expected[name], found[name]))
                if not problems[name][-1]:
                    del problems[name]
            if not problems:
                return
        self.fail("\n".join("%s: %s" % (name, texts) for name, texts in problems.items()))


def add(variable, program):
    def test(self):
        of_gcc = "_G" in variable
        waits = {**WAITS, **(BY_GCC if of_gcc else {})}
        source = SOURCE
        if variable.endswith("FORTRAN"):
            source = os.path.splitext(SOURCE)[0] + ".f90"
            del waits["guided_unsigned"]  # there is no such loop in this language
        self.check(program, source, waits)
    setattr(Exact, "test_" + variable[6:].lower(), unittest.skipUnless(program, "no such compiler with OpenMP")(test))


for variable_, program_ in PROGRAMS.items():
    add(variable_, program_)

if __name__ == "__main__":
    if not PROGRAMS["EXACT_GCC"]:
        print("skipped: no OpenMP in this compiler")
        sys.exit(0)
    unittest.main(argv=sys.argv[:1], verbosity=2)
