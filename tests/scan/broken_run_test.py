#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs that do not end well: everything that exists is analyzed, and no process is left."""
import json
import os
import resource
import signal
import subprocess
import sys
import time
import unittest

from support import ENDS, MPIEXEC, SCAN, ScanTest

sys.path.insert(0, os.environ["SCRIPTS"])
sys.dont_write_bytecode = True
from scan_lib.experiment import Experiment  # noqa: E402

# MPICH's launcher may fail if its programs end at once, because it writes to them.
HELLO = ["/bin/sh", "-c", "echo hello; sleep 0.3"]
LATECOMER = os.path.join(os.path.dirname(SCAN), "latecomer")


class BrokenRuns(ScanTest):
    def test_no_mpi(self):
        done = self.scan("-e", self.experiment, MPIEXEC, "-n", "2", *HELLO)
        self.check_not_recorded(done, "no call of MPI_Init was seen in /bin/sh", "not linked with an MPI library")
        self.assertEqual(done.stdout, "hello\nhello\n")
        self.assertFalse(os.path.exists(self.experiment))

    def test_launcher_that_scan_does_not_know(self):
        done = self.scan("-e", self.experiment, "/bin/echo", "-n", "4", "./app")
        self.check_not_recorded(done, "no call of MPI_Init was seen in /bin/echo", "-- marks the program")

    def test_script_that_replaces_what_is_preloaded(self):
        wrapper = os.path.join(self.directory, "wrapper")
        for value, recorded in (("libdl.so.2", False), ('"$LD_PRELOAD libdl.so.2"', True)):
            with self.subTest(value):
                with open(wrapper, "w") as f:
                    f.write("#!/bin/sh\nLD_PRELOAD=%s exec %s\n" % (value, ENDS))
                os.chmod(wrapper, 0o755)
                done = self.scan("--yield", "-e", self.experiment, MPIEXEC, "-n", "2", wrapper)
                if recorded:
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertTrue(os.path.exists(self.file("analysis.cubex")))
                    continue
                self.assertEqual(done.returncode, 0)
                self.assertIn("no call of MPI_Init was seen in " + wrapper, done.stderr)
                self.assertIn("hint:  wrapper is a script: ", done.stderr)
                self.assertIn("get the LD_PRELOAD that wrapper got: add to it, do not replace it", done.stderr)
                self.assertFalse(os.path.exists(self.experiment))

    def test_functions_of_mpi_that_are_looked_up(self):
        libraries = subprocess.run(["ldd", ENDS], capture_output=True, text=True, check=True).stdout
        mpi = next(line.split("=>")[1].split()[0] for line in libraries.splitlines() if "libmpi" in line)
        program = "import ctypes; mpi = ctypes.CDLL(%r); mpi.MPI_Init(None, None); mpi.MPI_Finalize()" % mpi
        done = self.scan("-e", self.experiment, MPIEXEC, "-n", "1", sys.executable, "-c", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no call of MPI_Init was seen in " + sys.executable, done.stderr)
        self.assertIn("functions that it has looked up with dlsym() are not seen", done.stderr)

    def test_no_further_run_where_nothing_is_recorded(self):
        done = self.scan("-R", "3", "-e", self.experiment, MPIEXEC, "-n", "2", *HELLO)
        self.assertEqual((done.returncode, done.stdout), (0, "hello\nhello\n"))
        self.assertIn("scan: run 1 of 3 recorded nothing; the 2 others are not started\n", done.stderr)

    def test_too_many_open_files(self):
        """Records that had no file are counted with the reason, in the run and in its report."""
        done = self.run_ends("files", options=("--buffer-size", "16K"), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("could not be written to %s: Too many open files" % self.experiment, done.stderr)
        self.assertIn("records that could not be stored while the program ran: Too many open files", " ".join(done.stderr.split()))
        self.assertNotIn("disk", done.stderr)

    def test_no_mpi_and_failed(self):
        done = self.scan("-e", self.experiment, "/bin/sh", "-c", "exit 9")
        self.assertEqual((done.returncode, done.stderr), (9, "scan: the program ended with status 9\n"))
        self.assertFalse(os.path.exists(self.experiment))

    def test_old_trace_does_not_pass_for_the_new_one(self):
        self.assertEqual(self.run_ends().returncode, 0)
        done = self.scan("--overwrite", "-e", self.experiment, "/bin/echo", "hello")
        self.check_not_recorded(done, "no call of MPI_Init was seen")

    def test_overwriting(self):
        for options in ([], ["--overwrite"]):
            self.assertEqual(self.run_ends(options=options).returncode, 0)

    def test_without_finalize(self):
        """Programs that crash, are killed, abort, or leave by exit(). Status None: the launcher
        decides it."""
        for way, status in (("segfault", None), ("kill", None), ("abort", 7), ("exit", 0), ("exit3", 3)):
            with self.subTest(way):
                done = self.run_ends(way, ranks="3", options=["--overwrite"])
                if status is not None:
                    # Status 9: the launcher had killed a rank before it could exit by itself.
                    # Status 1: the launcher's own, for a rank that left without MPI_Finalize.
                    self.assertIn(done.returncode, [status, 9, 1], done.stderr)
                if status != 0:
                    self.assertNotEqual(done.returncode, 0)
                self.assertIn("did not reach MPI_Finalize", done.stderr)
                self.assertIn("partial", done.stderr)
                self.assertTrue(os.path.exists(self.file("analysis.cubex")))

    def test_limits_of_the_program(self):
        """The archive cannot be written within the limits that the program has set for itself. They do not hold for scan."""
        for way, reason in (("no_long_files", "File"), ("no_more_files", "Too many open files")):
            with self.subTest(way):
                done = self.run_ends(way, options=["--overwrite"])
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(reason, done.stderr.partition("error: ")[2].splitlines()[0])
                self.assertNotIn("gone", done.stderr)
                self.assertNotIn("no trace yet", done.stderr)
                self.assertNotIn("did not reach MPI_Finalize", done.stderr)
                self.assertEqual(self.show()["run"]["ranks"], 2)

    def test_log_that_was_not_cut(self):
        """A process that may not cut its log, as after setuid(), leaves zeros at its end."""
        records = self.file("records")
        os.makedirs(records)
        for text, expected in ((b"a\nend\n", True), (b"a\nend\n" + bytes(100), True), (b"end\n" + bytes(200000), True), (b"a\n" + bytes(99), False),
                               (b"long " * 30000 + b"\nend\n" + bytes(65530), True), (bytes(300), False), (b"", False), (b"end\nmore\n", False)):
            with open(os.path.join(records, "0.def"), "wb") as f:
                f.write(text)
            self.assertEqual(Experiment(self.experiment).was_finalized, expected, text[-300:])

    def test_records_that_are_kept(self):
        for option, kept in (([], False), (["--keep-records"], True)):
            done = self.run_ends("exit", options=option + ["--overwrite"])
            self.assertIn("making the trace from its records", done.stderr)
            self.assertEqual(os.path.exists(self.file("records")), kept, done.stderr)

    def test_killed_while_the_anchor_is_written(self):
        """OTF2 creates the file of the anchor, then fills it. If it is killed in between, all records still exist, so the
        result is whole."""
        done = self.run_ends(options=["--keep-records"])
        self.assertEqual(done.returncode, 0, done.stderr)
        whole = self.show()
        os.truncate(self.file("traces.otf2"), 0)
        again = self.scan("-a", self.experiment)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertNotIn("partial", again.stderr)
        self.assertIn("making the trace from the records", again.stderr)
        self.assertEqual(self.show()["run"]["ranks"], whole["run"]["ranks"])

    def show(self):
        done = subprocess.run([LATECOMER, "show", "--json", self.experiment], capture_output=True, text=True)
        return json.loads(done.stdout)

    def test_who_ended_it(self):
        for way, text in (("abort", "rank 1 called MPI_Abort after "),
                          ("exit3", "exited without MPI_Finalize")):
            with self.subTest(way):
                self.assertIn(text, self.run_ends(way, ranks="3", options=["--overwrite"]).stderr)

    def test_stuck_until_the_others_are_killed(self):
        """Rank 0 sleeps 2 s, then it is killed. Nothing is recorded after the first millisecond."""
        done = self.run_ends("stuck", ranks="3")
        self.assertNotEqual(done.returncode, 0)
        for line in ("rank 0 was outside MPI since", "rank 1 was in MPI_Recv since",
                     "rank 2 was in MPI_Barrier since"):
            self.assertIn(line, done.stderr)
        shown = self.show()
        self.assertGreater(shown["seconds"]["mpi"], 2 * 2)
        self.assertGreater(shown["run"]["duration"], 2)
        self.assertLess(shown["run"]["duration"], 20)
        self.assertEqual([e["state"] for e in shown["endings"]], ["in_call", "in_call", "outside"])

    def test_status_of_the_program_is_passed_on(self):
        done = self.run_ends("status5")
        self.assertEqual(done.returncode, 5)
        self.assertNotIn("partial", done.stderr)
        self.assertTrue(os.path.exists(self.file("analysis.cubex")))


class Interrupted(ScanTest):
    def interrupt(self, number, way="sleep"):
        """Starts a run, sends the signal when all ranks record, and returns (status, messages)."""
        words = [sys.executable, SCAN, "--yield", "-e", self.experiment, MPIEXEC, "-n", "2", ENDS, way,
                 self.experiment]  # an argument that identifies the process
        running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=self.environment, start_new_session=True)
        records = self.file("records")
        until = time.monotonic() + 100
        while time.monotonic() < until and not self.has_collectives(records):
            time.sleep(0.05)
        running.send_signal(number)
        _, text = running.communicate(timeout=200)
        left = subprocess.run(["pgrep", "-fa", self.experiment], capture_output=True, text=True).stdout
        self.assertEqual(left, "")
        return running.returncode, text

    @staticmethod
    def has_collectives(records):
        try:
            return sum(name.endswith(".rec") and os.path.getsize(os.path.join(records, name)) > 4096
                       for name in os.listdir(records)) == 2
        except OSError:
            return False

    def test_interrupt(self):
        status, text = self.interrupt(signal.SIGINT)
        self.assertEqual(status, 130, text)
        self.assertIn("scan -a " + self.experiment, text)
        done = self.scan("-a", self.experiment)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("scan: exit status 4: the result is partial", done.stderr)
        self.assertIn("\npartial: 2 processes that never reached MPI_Finalize\n", done.stderr)

    def test_terminate_and_hang_up(self):
        status, text = self.interrupt(signal.SIGTERM)
        self.assertEqual(status, 143, text)
        self.experiment += "2"
        status, text = self.interrupt(signal.SIGHUP)
        self.assertEqual(status, 129, text)

    def test_program_that_ignores_signals(self):
        status, text = self.interrupt(signal.SIGINT, "stubborn")
        self.assertEqual(status, 130, text)


if __name__ == "__main__":
    unittest.main()
