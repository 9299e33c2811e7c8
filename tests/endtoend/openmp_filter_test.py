#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A filter that leaves out constructs of OpenMP: the program computes the same, all else is recorded, and the report
says what is missing."""
import collections
import json
import os
import re
import sys
import tempfile
import unittest

from support import LATECOMER, MPIEXEC, regions, run, scan

GCC = os.environ.get("FILTERED", "")
LLVM = os.path.join(os.environ["LLVM"], "openmp_filtered_llvm") if os.environ["LLVM"] else ""
RESULT = "sum 58"  # in the three inner teams 0 + 1 + 2 + 3 each, and 4 x 10
RUNS = 8


class Filters(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name

    def scan(self, program, *rules):
        path = os.path.join(self.directory, "filter.txt")
        with open(path, "w") as f:
            f.write("SCOREP_REGION_NAMES_BEGIN\n%s\nSCOREP_REGION_NAMES_END\n" % "\n".join(rules))
        experiment = os.path.join(self.directory, "experiment")
        return experiment, scan("--yield", "--overwrite", "--filter", path, "-e", experiment, MPIEXEC, "-n", "1", program,
                                cwd=self.directory)

    def record(self, program, *rules):
        """Names of constructs without lines, events by kind, the note, and whether the wait at the barrier is right."""
        experiment, done = self.scan(program, *rules)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(RESULT + "\n", done.stdout)
        anchor = os.path.join(experiment, "traces.otf2")
        names = {re.sub(r" @.*", "", name) for name, _, _ in regions(anchor).values() if name.startswith("!$omp")}
        lines = run(["otf2-print", anchor]).stdout.splitlines()
        events = collections.Counter(line.split(" ", 1)[0] for line in lines)
        shown = json.loads(run([LATECOMER, "show", "--json", experiment]).stdout)
        notes = {note["name"]: (note["count"], note["text"]) for note in shown["quality"]}
        table = run([LATECOMER, "csv", experiment]).stdout
        # A loop ends before the barrier that the program asks for, whatever was in it.
        self.assertNotRegex(table, r"!\$omp for [^/,]*/!\$omp barrier")
        wait = sum(float(row.split(",")[6]) for row in table.splitlines() if row.startswith("omp_ebarrier_wait,"))
        expected = int(re.search(r"^barrier (\d+)$", done.stdout, re.M)[1]) / 1e9
        info = run([LATECOMER, "info", experiment]).stdout
        return names, events, notes.get("constructs_left_out"), abs(wait - expected) <= 20e-6 + 0.01 * expected, info

    def right(self, program, *rules):
        """A busy machine delays the program between its own clock reading and the record. So the wait has to be right in
        one of some runs."""
        for _ in range(RUNS):
            found = self.record(program, *rules)
            if found[3]:
                return found
        return self.fail("no run had the right wait at the barrier")

    def test_without_one_nothing_is_said(self):
        for program in filter(None, (GCC, LLVM)):
            names, events, note, _, _ = self.right(program, "EXCLUDE solve")
            self.assertIsNone(note)
            self.assertIn("!$omp critical", names)
            self.assertEqual(events["THREAD_TEAM_BEGIN"], 2 + 3 * 2)

    def test_critical_sections(self):
        for program in filter(None, (GCC, LLVM)):
            names, events, note, _, info = self.right(program, "EXCLUDE OMP:critical")
            self.assertFalse({"!$omp critical", "!$omp critical sblock"} & names)
            self.assertIn("!$omp for", names)
            self.assertEqual((events["THREAD_TEAM_BEGIN"], events["THREAD_ACQUIRE_LOCK"]), (8, 0))
            self.assertEqual(note[0], 1)
            self.assertIn("construct of OpenMP that the filter left out: critical; its waits count as computation, and "
                          "efficiencies of threads are incomplete", note[1])
            self.assertRegex(info, r"LATECOMER::CONSTRUCTS_LEFT_OUT +critical\n")

    def test_implicit_barriers_are_left_out_of_loops_only(self):
        for program in filter(None, (GCC, LLVM)):
            names, events, note, _, _ = self.right(program, "EXCLUDE OMP:implicit?barrier OMP:critical")
            self.assertIn("!$omp implicit barrier", names)  # those at the end of teams
            self.assertEqual(events["THREAD_TEAM_BEGIN"], 8)
            self.assertEqual(note[0], 2)
            self.assertIn("critical, implicit barrier", note[1])

    @unittest.skipUnless(GCC, "no OpenMP in this compiler")
    def test_teams_inside_a_recorded_one(self):
        names, events, note, _, _ = self.right(GCC, "EXCLUDE OMP:parallel?for")
        self.assertNotIn("!$omp parallel for", names)
        self.assertEqual((events["THREAD_TEAM_BEGIN"], events["THREAD_FORK"]), (2, 1))
        # Only those of the outer team.
        self.assertEqual(events["THREAD_ACQUIRE_LOCK"], 4)
        self.assertIn("parallel for", note[1])

    @unittest.skipUnless(LLVM, "no clang with OpenMP")
    def test_all_teams(self):
        names, events, note, _, _ = self.record(LLVM, "EXCLUDE OMP:parallel*")
        self.assertEqual((names, events["THREAD_TEAM_BEGIN"]), (set(), 0))
        self.assertIn("parallel", note[1])

    def test_a_pattern_without_a_construct_is_refused(self):
        _, done = self.scan(GCC or LLVM, "EXCLUDE OMP:critcal")
        self.assertEqual(done.returncode, 2)
        self.assertIn("filter.txt:2: 'OMP:critcal' names no construct of OpenMP", done.stderr)
        self.assertIn("similar names: critical", done.stderr)


if __name__ == "__main__":
    if not GCC and not LLVM:
        print("skipped: no clang with OpenMP")
        sys.exit(0)
    unittest.main(argv=sys.argv[:1], verbosity=2)
