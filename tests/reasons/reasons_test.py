#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The reason why a rank was late, in the report and in the line on the cause.

The program says for how long rank 0 was late. At least 90 % of that must go to the reason, and at most 5 % to any other.
Without a core is everybody on a machine with other load, so that part only counts where it is the reason."""
import json
import os
import re
import sys
import tempfile
import unittest

from support import LATECOMER, MPIEXEC, run, scan

REASONS, THREE_FUNCTIONS, THREE_SUBROUTINES = (
    os.environ[name] for name in ("REASONS", "THREE_FUNCTIONS", "THREE_SUBROUTINES"))
STEPS, MILLISECONDS = 20, 40
PARTS = ("blocked", "kernel", "off_processor", "preempted")


class Run:
    """A run of a program in which rank 0 is late: the seconds that the program says, the report's data, the summary."""

    def __init__(self, test, *command, ranks=2, options=("--sample", "1000")):
        with tempfile.TemporaryDirectory() as scratch:
            experiment = os.path.join(scratch, "experiment")
            done = scan("--yield", "-e", experiment, *options, MPIEXEC, "-n", str(ranks), *command, str(STEPS),
                        str(MILLISECONDS), cwd=scratch)
            test.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            if "without samples of the computation" in done.stderr:
                test.skipTest("skipped: the kernel refuses samples")
            printed = run(["otf2-print", os.path.join(experiment, "traces.otf2")])
            test.assertEqual((printed.returncode, printed.stderr), (0, ""))
            self.extras = json.loads(run([LATECOMER, "json", experiment]).stdout)["extras"]
        self.late = float(re.search(r"late ([0-9.]+) s", done.stdout).group(1))
        self.text = " ".join(done.stderr.split())


class Reasons(unittest.TestCase):
    def record(self, reason, ranks=2):
        """Seconds that others waited for rank 0, their parts by reason, and the summary."""
        one = Run(self, REASONS, reason, ranks=ranks)
        longer = self.longer(one)
        return one.late * (ranks - 1), self.parts(longer), longer, one.text

    def longer(self, one):
        """The largest costs of rank 0. On a machine with other load it may have small ones in MPI calls, too."""
        longer = [row for row in one.extras["longer_computation"] if row["location"] == 0]
        self.assertTrue(longer, one.extras["longer_computation"])
        return longer[0]

    def parts(self, longer):
        parts = dict(longer["not_computing"])
        parts["computed"] = longer["delay_costs"] - sum(parts[name] for name in PARTS)
        return parts

    def check(self, reason, part, late, parts):
        with self.subTest(reason=reason, parts=parts, late=late):
            self.assertGreater(parts[part], 0.9 * late)
            for other in {*parts} - {part, "preempted"}:
                self.assertLess(abs(parts[other]), 0.05 * late, other)

    def test_more_work(self):
        late, parts, longer, text = self.record("more")
        computed = STEPS * MILLISECONDS * 1e-3  # processor time, whatever else ran meanwhile
        self.check("more", "computed", computed, parts)
        self.assertLess(parts["computed"] + parts["preempted"], 1.1 * late)
        self.assertRegex(text, r"(it|rank 0) (computed longer for [0-9.]+ m?s of the waiting in (compute|main)|had no core)")

    def test_memory_that_does_not_fit_the_cache(self):
        _, parts, longer, text = self.record("memory")
        self.check("memory", "computed", STEPS * MILLISECONDS * 1e-3, parts)
        in_chain = sum(line["seconds"] for line in longer["lines"] if line["function"] == "follow_chain")
        self.assertGreater(in_chain, 0.9 * parts["computed"])
        self.assertRegex(text, r"(it|rank 0) (had no core for .*; )?computed longer for [0-9.]+ m?s .*in follow_chain|(it|rank 0) had no core for")

    def test_one_of_three_functions(self):
        for name, program, function in (("C++", THREE_FUNCTIONS, "Grid::smooth > Grid::work"),
                                        ("Fortran", THREE_SUBROUTINES, "grid::smooth > grid::work")):
            with self.subTest(language=name):
                if not program:
                    continue  # no Fortran compiler for this MPI
                one = Run(self, program)
                longer = self.longer(one)
                self.check(name, "computed", one.late, self.parts(longer))
                self.assertRegex(one.text, "computed longer for [0-9.]+ m?s .*in .*%s|(it|rank 0) had no core for" % function)

    def test_one_of_three_methods_in_python(self):
        python = sys.executable
        if not (3, 11) <= sys.version_info[:2] <= (3, 13):
            self.skipTest("skipped: samples do not tell functions of this version of Python")
        one = Run(self, python, os.path.join(os.path.dirname(os.path.abspath(__file__)), "three_methods.py"),
                  os.environ["MPI_LIBRARY"])
        longer = self.longer(one)
        parts = self.parts(longer)
        self.check("Python", "computed", one.late, parts)
        self.assertRegex(one.text, r"computed longer for [0-9.]+ m?s .*in .*Grid\.smooth|(it|rank 0) had no core for")
        smooth = sum(line["seconds"] for line in longer["lines"]
                     if line["function"] == "Grid.smooth" and line["file"].endswith("three_methods.py") and line["line"])
        self.assertGreater(smooth, 0.8 * parts["computed"], longer["lines"])

    def test_a_file(self):
        one = Run(self, REASONS, "file")
        uses = [use for use in one.extras["file_uses"] if os.path.basename(use["file"]) == "reasons.out"]
        self.assertEqual({use["location"] for use in uses}, {0})
        in_file = sum(use[part] for use in uses for part in ("reading", "writing", "storing", "opening"))
        self.assertTrue(0.9 * one.late < in_file < one.late, (in_file, one.late))
        self.assertRegex(one.text, r"write_file \(rank 0\) made others wait")
        self.assertRegex(one.text, r"(it|rank 0) writes reasons\.out: [0-9.]+ ([kMG]B|bytes) in .*, fsync [0-9.]+ [mu]?s")
        self.assertRegex(one.text, r"why: in calls on files( \((mostly )?reasons\.out\))? [0-9]+ %|made others wait [0-9.]+ s, (9|100)[0-9]?% of all")

    def check_place(self, longer, text, deed, function, caller):
        """The call in which it was blocked, with its line in reasons.c, has nearly all of that time."""
        calls = longer.get("blocked", [])
        self.assertTrue(calls, longer)
        self.assertEqual((calls[0]["function"], calls[0]["caller"]), (function, caller), calls)
        self.assertGreater(calls[0]["seconds"], 0.9 * longer["not_computing"]["blocked"], calls)
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reasons.c")
        self.assertTrue(os.path.samefile(calls[0]["file"], source), calls)
        with open(source) as lines:
            line = lines.readlines()[calls[0]["line"] - 1]
        self.assertIn(function + "(", line)
        self.assertIn(f"of the waiting: it {deed} {function} (reasons.c:{calls[0]['line']})", text)

    def test_sleep_of_one_of_four(self):
        late, parts, _, text = self.record("sleep", ranks=4)
        self.check("sleep", "blocked", late - parts["preempted"], parts)
        self.assertRegex(text, "(it|rank 0) was blocked for")

    def test_sleep(self):
        late, parts, longer, text = self.record("sleep")
        self.check("sleep", "blocked", late - parts["preempted"], parts)
        self.assertRegex(text, "(it|rank 0) was blocked for")
        self.check_place(longer, text, "slept in", "nanosleep", "wait_a_while")

    def test_a_socket(self):
        late, parts, longer, text = self.record("socket")
        self.check("socket", "blocked", late - parts["preempted"], parts)
        self.check_place(longer, text, "waited for data in", "recv", "ask")

    def test_a_lock(self):
        """With threads off: otherwise the wait for the mutex is a call of its own (posix_threads_test)."""
        one = Run(self, REASONS, "lock", options=("--sample", "1000", "--threads", "off"))
        longer = self.longer(one)
        parts = self.parts(longer)
        self.check("lock", "blocked", one.late - parts["preempted"], parts)
        self.assertRegex(one.text, "(it|rank 0) was blocked for")
        self.check_place(longer, one.text, "waited for a lock in", "pthread_mutex_lock", "take_lock")

    def test_page_faults(self):
        _, parts, longer, text = self.record("pages")
        in_kernel = STEPS * MILLISECONDS * 1e-3  # nearly all of its processor time
        self.assertGreater(parts["kernel"], 0.75 * in_kernel)
        self.assertLess(parts["computed"], 0.25 * in_kernel)
        self.assertLess(parts["blocked"], 0.05 * in_kernel)
        self.assertGreater(longer["page_faults"], 1000)
        self.assertRegex(text, r"was in the kernel for [0-9.]+ m?s")

    def test_no_core(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("skipped: both ranks need a core of their own")
        late, parts, _, text = self.record("core")
        # The other rank may have lost its core to something else meanwhile.
        self.assertGreater(parts["preempted"], 0.5 * late)
        self.assertLess(abs(parts["blocked"]), 0.05 * late)
        self.assertIn("had no core for", text)

    def test_no_core_inside_mpi(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("skipped: both ranks need a core of their own")
        late, parts, _, text = self.record("mpi")
        self.assertGreater(parts["preempted"], 0.5 * late)
        self.assertRegex(text, r"MPI_Reduce_local \(rank 0\) made others wait .* had no core for")


if __name__ == "__main__":
    unittest.main()
