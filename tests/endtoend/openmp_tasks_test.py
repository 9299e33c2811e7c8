#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Threads without a task, with GCC's and LLVM's runtime: each wait is as long as the program itself
measured, within 1 % and 20 us, and its cause is the thread and the line of the long task."""
import collections
import csv
import json
import os
import re
import sys
import tempfile
import unittest

from support import LATECOMER, MPIEXEC, analyze, run, scan

GCC = os.environ.get("TASKS", "")
LLVM = os.path.join(os.environ["LLVM"], "openmp_tasks_llvm") if os.environ.get("LLVM") else ""
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "openmp_tasks.c")
# What the program prints, the metric that has it, its delay costs, and the function in which it is.
WAITS = {"unequal": ("omp_ibarrier_starvation", "delay_omptask", "unequal"),
         "explicit": ("omp_ebarrier_starvation", "delay_omptask", "explicitly"),
         "late": ("omp_ibarrier_starvation", "delay_omptask", "late"),
         "taskwait": ("omp_taskwait_starvation", "delay_omptaskwait", "taskwait")}
# The part of a wait that the long task must have. Both waits of "late" end while it goes on, and each thread executes a
# task of 20 ms afterwards. The thread whose task ends last is compared with all that the cause did in the barrier: 40 of
# 40 + 20 ms. The other one is compared after its own task: 40 of 40. So the task has (2/3 + 1) / 2 = 83 %.
SHARES = {"unequal": 0.9, "explicit": 0.9, "late": 0.8, "taskwait": 0.9}
# A busy machine delays the program between its own clock reading and the record. So a wait has to be
# right in one of some runs. In "explicit" the thread that creates the tasks has to execute the long one, which it does
# in a third of the runs: the others are compared over a longer time, and an eighth of the costs is for what was before.
RUNS = 24


def is_right(value, expected):
    return abs(value - expected) <= 20e-6 + 0.01 * expected


def lines_of_tasks():
    """The lines of the tasks by the function in which they are."""
    lines, function = collections.defaultdict(list), ""
    with open(SOURCE) as f:
        for number, line in enumerate(f, 1):
            function = (re.findall(r"^NOINLINE static void (\w+)", line) + [function])[0]
            if "#pragma omp task" in line and "taskwait" not in line:
                lines[function].append(number)
    return lines


class Tasks(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name
        self.experiment = os.path.join(self.directory, "experiment")

    def record(self, program):
        """What the program says, and values by metric, function, region and thread."""
        done = scan("--yield", "--overwrite", "-e", self.experiment, MPIEXEC, "-n", "1", program, cwd=self.directory)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = {name: int(value) for name, value in re.findall(r"^(\w+) (\d+)$", done.stdout, re.M)}
        self.assertEqual(len(said), 2 * len(WAITS), done.stdout)
        found = collections.Counter()
        lines = run([LATECOMER, "csv", self.experiment]).stdout.splitlines()
        for metric, path, _, _, _, thread, value, _ in csv.reader(line for line in lines if not line.startswith("#")):
            if not metric.startswith(("omp_", "delay_")):
                continue
            parts = [part.split("(")[0] for part in path.split("/")]
            for function in {function for _, _, function in WAITS.values() if function in parts}:
                found[metric, function] += float(value)
                found[metric, function, parts[-1], thread] += float(value)
        return said, found

    def wrong(self, name, said, found):
        """What is wrong about a wait, as a text; empty: nothing."""
        metric, delay, function = WAITS[name]
        wait = found[metric, function]
        if not is_right(wait, said[name] / 1e9):
            return "%s waited %g, not %g" % (name, wait, said[name] / 1e9)
        task = "!$omp task @openmp_tasks.c:%d" % lines_of_tasks()[function][0]
        costs = found[delay, function, task, str(said[name + "_thread"])]
        if costs < SHARES[name] * wait:
            return "%s: the long task costs %g of %g" % (name, costs, wait)
        return ""

    def check(self, program):
        left = {name: [] for name in WAITS}
        for _ in range(RUNS):
            said, found = self.record(program)
            for name in list(left):
                wrong = self.wrong(name, said, found)
                if wrong:
                    left[name].append(wrong)
                else:
                    del left[name]
            if not left:
                break
        self.assertEqual(left, {})

    @unittest.skipUnless(GCC, "no OpenMP in this compiler")
    def test_gcc(self):
        self.check(GCC)
        # The report has the same bytes on each number of processes.
        reports = []
        for processes in (1, 2):
            report = os.path.join(self.directory, "report")
            self.assertEqual(analyze(self.experiment, processes, report).returncode, 0)
            with open(report, "rb") as f:
                reports.append(f.read())
        self.assertEqual(reports[0], reports[1])
        # It is in the summary, too, and a prediction does not fail.
        shown = json.loads(run([LATECOMER, "show", "--json", self.experiment]).stdout)
        names = [wait["metric"] for wait in shown["thread_waits"]]
        self.assertIn("omp_ibarrier_starvation", names)
        predicted = run([LATECOMER, "what-if", self.experiment, "--speed", "unequal x2"])
        self.assertEqual(predicted.returncode, 0, predicted.stderr)

    @unittest.skipUnless(LLVM, "no clang with OpenMP")
    def test_llvm(self):
        self.check(LLVM)


if __name__ == "__main__":
    if not GCC and not LLVM:
        print("skipped: no clang with OpenMP")
        sys.exit(0)
    unittest.main(argv=sys.argv[:1], verbosity=2)
