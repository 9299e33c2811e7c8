#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What can go wrong around a run: one clear message, the right status, nothing left behind."""
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SCAN, MPIEXEC, ENDS, STATIC = (os.environ[name] for name in ("SCAN", "MPIEXEC", "ENDS", "STATIC"))


class BadInput(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.experiment = os.path.join(self.scratch.name, "experiment")

    def scan(self, *words, **more):
        return subprocess.run([sys.executable, SCAN] + list(words), capture_output=True, text=True,
                              timeout=100, cwd=self.scratch.name, **more)

    def run_ends(self, *way, ranks="3", options=()):
        return self.scan("--yield", *options, "-e", self.experiment, MPIEXEC, "-n", ranks, ENDS, *way)

    def refused(self, done, status, *parts):
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
        self.assertEqual(done.stderr.count("hint:"), 1, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)

    def test_launcher_missing(self):
        self.refused(self.scan("/nowhere/mpiexec", "-n", "2", ENDS), 2, "launcher /nowhere/mpiexec")

    def test_program_missing(self):
        self.refused(self.scan(MPIEXEC, "-n", "2", "./nowhere"), 2, "./nowhere: not found")

    def test_program_not_executable(self):
        plain = os.path.join(self.scratch.name, "plain")
        with open(plain, "w") as f:
            f.write("no program")
        self.refused(self.scan(MPIEXEC, "-n", "2", plain), 2, "not executable")

    def test_nothing_to_run(self):
        self.refused(self.scan(), 2, "no program to run")
        self.refused(self.scan(MPIEXEC, "-n", "2"), 2, "no program found")

    def test_unknown_option(self):
        self.refused(self.scan("--nonsense", ENDS), 2, "nonsense")

    def test_static_program(self):
        self.refused(self.scan(MPIEXEC, "-n", "2", STATIC), 2, "statically linked", "-llatecomer")

    def test_no_mpi(self):
        done = self.scan("-e", self.experiment, MPIEXEC, "-n", "2", "/bin/echo", "hello")
        self.refused(done, 3, "never called MPI_Init")
        self.assertEqual(done.stdout, "hello\nhello\n")
        self.assertFalse(os.path.exists(self.experiment))

    def test_existing_experiment(self):
        self.assertEqual(self.run_ends("well").returncode, 0)
        before = os.listdir(self.experiment)
        self.refused(self.run_ends("well"), 2, "exists already", "--next", "--overwrite")
        self.assertEqual(sorted(os.listdir(self.experiment)), sorted(before))
        self.assertEqual(self.run_ends("well", options=["--next"]).returncode, 0)
        self.assertTrue(os.path.exists(self.experiment + "_2/analysis.cubex"))
        self.assertEqual(self.run_ends("well", options=["--overwrite"]).returncode, 0)

    def test_existing_other_directory(self):
        os.makedirs(self.experiment)
        with open(os.path.join(self.experiment, "thesis.tex"), "w") as f:
            f.write("years of work")
        done = self.run_ends("well", options=["--overwrite"])
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertTrue(os.path.exists(os.path.join(self.experiment, "thesis.tex")))

    def test_read_only_place(self):
        place = "/proc"  # nobody can write here, not even root
        done = self.scan("-e", place + "/experiment", MPIEXEC, "-n", "2", ENDS)
        self.refused(done, 2, "/proc")

    def test_filter_file_missing(self):
        self.refused(self.scan("-f", "nowhere.filter", MPIEXEC, "-n", "2", ENDS), 2, "nowhere.filter")

    def test_broken_runs_are_analyzed(self):
        for way, status in (("segfault", None), ("kill", None), ("abort", 7), ("exit", 4), ("exit3", 3)):
            with self.subTest(way):
                done = self.run_ends(way, options=["--overwrite"])
                if status is not None:
                    self.assertEqual(done.returncode, status, done.stderr)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("did not reach MPI_Finalize", done.stderr)
                self.assertIn("partial", done.stderr)
                self.assertTrue(os.path.exists(os.path.join(self.experiment, "analysis.cubex")))

    def test_status_of_the_program_is_passed_on(self):
        done = self.run_ends("status5")
        self.assertEqual(done.returncode, 5)
        self.assertNotIn("partial", done.stderr)

    def test_streams_pass_through(self):
        done = self.scan("--yield", "-e", self.experiment, MPIEXEC, "-n", "2", ENDS, "echo", "a b", "$HOME",
                         "'x'", input="from stdin\n")
        self.assertEqual(done.stdout, "from stdin\n[a b][$HOME]['x']\n")
        self.assertEqual(done.returncode, 0)

    def test_several_programs(self):
        done = self.scan("--yield", "-e", self.experiment, MPIEXEC, "-n", "1", ENDS, ":", "-n", "2", ENDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("3 ranks", done.stderr)

    def test_single_process_without_launcher(self):
        done = self.scan("-e", self.experiment, ENDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 rank,", done.stderr)

    def test_quiet_measures_nothing(self):
        done = self.scan("-q", MPIEXEC, "-n", "1", ENDS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(os.listdir(self.scratch.name), [])

    def test_dry_run_runs_nothing(self):
        done = self.scan("-n", MPIEXEC, "-n", "2", ENDS, "a b")
        self.assertEqual(done.returncode, 0)
        self.assertIn("env LD_PRELOAD=", done.stdout)
        self.assertIn("'a b'", done.stdout)
        self.assertEqual(os.listdir(self.scratch.name), [])

    def test_interrupt_leaves_no_process(self):
        words = [sys.executable, SCAN, "--yield", "-e", self.experiment, MPIEXEC, "-n", "2", ENDS, "sleep"]
        running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   start_new_session=True)
        records = os.path.join(self.experiment, "records")
        until = time.monotonic() + 30
        while time.monotonic() < until and not (os.path.isdir(records) and len(os.listdir(records)) >= 4):
            time.sleep(0.1)
        time.sleep(1)
        running.send_signal(signal.SIGINT)
        _, text = running.communicate(timeout=30)
        self.assertEqual(running.returncode, 130, text)
        self.assertIn("scan -a " + self.experiment, text)
        left = subprocess.run(["pgrep", "-f", ENDS + " sleep"], capture_output=True, text=True).stdout
        self.assertEqual(left, "")
        done = self.scan("-a", self.experiment)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("partial", done.stderr)

    def test_analyze_existing(self):
        self.assertEqual(self.run_ends("well").returncode, 0)
        os.remove(os.path.join(self.experiment, "analysis.cubex"))
        for words in (["-a", self.experiment], ["-A", "3", "-a", self.experiment],
                      ["-a", self.experiment, MPIEXEC, "-n", "2"]):
            done = self.scan(*words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(os.path.exists(os.path.join(self.experiment, "analysis.cubex")))
        self.refused(self.scan("-a", self.scratch.name + "/nowhere"), 3, "no such experiment")


if __name__ == "__main__":
    unittest.main()
