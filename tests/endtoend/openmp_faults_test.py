#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Teams of threads in which something unexpected happens: the program behaves as without the
measurement library, and the archive has what can be known."""
import collections
import os
import sys
import tempfile
import unittest

from support import MPIEXEC, run, scan

GCC = os.environ.get("FAULTS", "")
DIRECTORY = os.environ["LLVM"]  # of the programs of clang; empty: they could not be built
LLVM = os.path.join(DIRECTORY, "openmp_faults_llvm") if DIRECTORY else ""
PLUGIN = os.path.join(DIRECTORY, "openmp_plugin_llvm.so")
TOOL = os.path.join(DIRECTORY, "openmp_tool_llvm.so")
PROGRAMS = [program for program in (GCC, LLVM) if program]


class Faults(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name

    def record(self, program, *words, **variables):
        """What scan did, and how many events of each kind the archive has."""
        experiment = os.path.join(self.directory, "experiment")
        done = scan("--yield", "--overwrite", "-e", experiment, MPIEXEC, "-n", "1", program, *words, cwd=self.directory,
                    env=dict(os.environ, **variables))
        printed = run(["otf2-print", os.path.join(experiment, "traces.otf2")])
        self.assertEqual((printed.returncode, printed.stderr), (0, ""), (program, words, done.stderr))
        events = collections.Counter(line.split(" ", 1)[0] for line in printed.stdout.splitlines())
        if done.returncode == 0:  # else what was open has no end
            self.assertEqual(events["ENTER"], events["LEAVE"], (program, words))
            self.assertEqual(events["THREAD_TEAM_BEGIN"], events["THREAD_TEAM_END"], (program, words))
        return done, events

    def check(self, mode, count, teams, forks):
        for program in PROGRAMS:
            done, events = self.record(program, mode)
            self.assertEqual(done.returncode, 0, (program, done.stderr))
            self.assertIn("count %d\n" % count, done.stdout, program)
            self.assertEqual((events["THREAD_TEAM_BEGIN"], events["THREAD_FORK"]), (teams, forks), program)

    def test_exit_in_a_region(self):
        for program in PROGRAMS:
            done, events = self.record(program, "exit")
            self.assertEqual(done.returncode, 3, (program, done.stderr))
            self.assertEqual((events["THREAD_TEAM_BEGIN"], events["THREAD_FORK"]), (3, 1), program)

    def test_kill_in_a_region(self):
        for program in PROGRAMS:
            done, events = self.record(program, "kill")
            self.assertNotEqual(done.returncode, 0, program)
            self.assertEqual((events["THREAD_TEAM_BEGIN"], events["THREAD_FORK"]), (3, 1), program)

    def test_fork_in_a_region(self):
        self.check("fork", 3, 3, 1)

    # Three regions of two threads, in each of which both make a team of two.
    def test_nested_teams(self):
        self.check("nested", 12, 3 * (2 + 2 * 2), 3 * (1 + 2))

    def test_teams_that_change_size(self):
        self.check("sizes", 10 * (1 + 2 + 3 + 4), 10 * (1 + 2 + 3 + 4), 40)

    # The second of four regions is not recorded; the third one begins without being recorded.
    def test_recording_switched_off_and_on_in_regions(self):
        for program in PROGRAMS:
            done, events = self.record(program, "off")
            self.assertEqual(done.returncode, 0, (program, done.stderr))
            self.assertIn("count 12\n", done.stdout, program)
            self.assertEqual((events["THREAD_TEAM_BEGIN"], events["THREAD_FORK"]), (6, 2), program)

    def test_the_end_of_mpi_in_a_region(self):
        self.check("finalize", 6, 3, 1)

    def test_signals_in_regions(self):
        for program in PROGRAMS:
            done, events = self.record(program, "signals")
            self.assertEqual(done.returncode, 0, (program, done.stderr))
            self.assertIn("count 1\n", done.stdout, program)
            self.assertGreaterEqual(events["THREAD_FORK"], 300, program)

    @unittest.skipUnless(GCC and LLVM, "needs both compilers")
    def test_two_runtimes_in_one_process(self):
        done, events = self.record(GCC, "two", PLUGIN)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("count 18\n", done.stdout)
        self.assertEqual((events["THREAD_TEAM_BEGIN"], events["THREAD_FORK"]), (6 * 3 + 5 * 3, 6 + 5))
        self.assertRegex(" ".join(done.stderr.split()), r"several runtimes of OpenMP \(lib\S+, lib\S+\)")

    @unittest.skipUnless(LLVM, "no clang with OpenMP")
    def test_another_tool(self):
        done, events = self.record(LLVM, "sizes", OMP_TOOL_LIBRARIES=TOOL)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("another tool\n", done.stdout)
        self.assertIn("count 100\n", done.stdout)
        self.assertEqual(events["THREAD_TEAM_BEGIN"], 0)


if __name__ == "__main__":
    if not PROGRAMS:
        print("skipped: no compiler with OpenMP")
        sys.exit(0)
    unittest.main(argv=sys.argv[:1], verbosity=2)
