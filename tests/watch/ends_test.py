#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Views end when their runs do, and say what is wrong with their input."""
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
from support import LATECOMER, Run, SCAN, SECONDS, Watching, latecomer  # noqa: E402


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as here:
            here.bind(("::1", 0))
        return True
    except OSError:
        return False


def is_idle(process):
    try:
        return os.sched_getscheduler(process) == os.SCHED_IDLE
    except ProcessLookupError:
        return False


class Ends(unittest.TestCase):
    def test_no_directory(self):
        done = latecomer("watch", "/does/not/exist")
        self.assertEqual((done.returncode, done.stderr), (3, "error: there is no directory /does/not/exist\n"
                         "hint:  name the directory that scan makes for the run: an experiment\n"))

    def test_no_records(self):
        with tempfile.TemporaryDirectory() as directory:
            done = latecomer("watch", directory)
            self.assertEqual(done.returncode, 3)
            self.assertIn("%s is no experiment: it has no records\nhint:  name the directory of an experiment that is being recorded" % directory,
                          done.stderr)
            os.mkdir(os.path.join(directory, "records"))
            self.assertIn("records has no records\n", latecomer("watch", directory).stderr)

    def test_the_run_has_ended(self):
        with Run("heat2d", "--steps", "2") as run:
            self.assertEqual(run.end()[0], 0)
            done = latecomer("watch", run.experiment)
            self.assertEqual(done.returncode, 3)
            self.assertIn("error: the run in %s has ended: its records are not here any more\n" % run.experiment, done.stderr)
            self.assertIn("hint:  the run has ended and its trace is complete: latecomer show", done.stderr)

    def test_another_release(self):
        with tempfile.TemporaryDirectory() as directory:
            os.mkdir(os.path.join(directory, "records"))
            with open(os.path.join(directory, "records", "0.def"), "w", encoding="utf-8") as log:
                log.write("process\t0\t1\t0\nproperty\tmpi_functions\tof another one\n")
            done = latecomer("watch", directory)
            self.assertEqual(done.returncode, 3)
            self.assertIn("error: the records of rank 0 were made by another release of Latecomer", done.stderr)

    def test_garbage(self):
        with tempfile.TemporaryDirectory() as directory:
            os.mkdir(os.path.join(directory, "records"))
            for name in ("0.def", "0.0.rec", "1.def", "1.0.rec", "x.def", "9999999999.0.rec"):
                with open(os.path.join(directory, "records", name), "wb") as file:
                    file.write(bytes(range(256)) * 40)
            done = latecomer("watch", "--once", "--json", directory)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["counts"]["records"], 0)

    def test_killed(self):
        with Run("heat2d", "--steps", "1000000") as run, \
                run.watching("--report", run.path("watch.json")) as watching:
            first = watching.until(lambda state: len(state["ranks"]) == 4)
            self.assertFalse(first["ended"])
            run.kill()
            status, lines, errors = watching.end()
            self.assertEqual((status, errors), (0, ""))
            self.assertTrue(json.loads(lines[-1])["ended"])
            with open(run.path("watch.json"), encoding="utf-8") as file:
                self.assertTrue(json.load(file)["ended"])

    def test_interrupted(self):
        with Run("heat2d", "--steps", "1000000") as run:
            run.watch("--json", "--once")
            watching = subprocess.Popen([LATECOMER, "watch", "--quiet", "--report", run.path("watch.json"), run.experiment])
            end = time.monotonic() + SECONDS
            while not is_idle(watching.pid) and time.monotonic() < end:
                time.sleep(0.05)
            self.assertTrue(is_idle(watching.pid))
            os.sched_setscheduler(watching.pid, os.SCHED_OTHER, os.sched_param(0))  # so that it ends soon
            watching.send_signal(signal.SIGTERM)
            self.assertEqual(watching.wait(timeout=SECONDS), 0)
            with open(run.path("watch.json"), encoding="utf-8") as file:
                self.assertFalse(json.load(file)["ended"])
            self.assertIsNone(run.scan.poll(), "the run goes on")

    def test_wrong_options(self):
        program = os.path.join(os.path.dirname(SCAN), "latecomer-watch")
        for words, what in (
                (["--interval", "x", "/tmp"], "--interval x: not a number of seconds of at least 0.01"),
                (["--interval=0", "/tmp"], "--interval 0: not a number of seconds of at least 0.01"),
                (["--for", "-1", "/tmp"], "--for -1: not a number of seconds"),
                (["--wait", "", "/tmp"], "--wait : not a number of seconds"),
                (["--schedule", "now", "/tmp"], "--schedule now: not one of idle, normal"),
                (["--metrics", "port", "/tmp"], "--metrics port: not a port, or an address and a port"),
                (["--metrics", "99999", "/tmp"], "--metrics 99999: not a port, or an address and a port"),
                (["--report=", "/tmp"], "--report : not the name of a file"),
                (["/tmp", "--report"], "--report: its value is missing"),
                (["--nonsense", "/tmp"], "--nonsense: there is no such option"),
                (["--once=1", "/tmp"], "--once has no value"),
                (["/tmp", "/var"], "one experiment can be watched, but there are two: /tmp and /var"),
                ([], "the experiment is missing")):
            done = subprocess.run([program, *words], capture_output=True, text=True, timeout=SECONDS, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (2, "", "error: %s\nhint:  latecomer watch --help\n" % what))
        self.assertEqual(latecomer("watch", "--interval", "x", "/tmp").returncode, 2)

    def test_time_counts_from_the_attachment(self):
        """The wait for the run does not count."""
        with tempfile.TemporaryDirectory() as directory, \
                Watching(["--wait", "60", "--for", "1", "--interval", "0.05", "--json", "--schedule", "normal", directory]) \
                as watching:
            time.sleep(1.5)
            self.assertIsNone(watching.process.poll(), "it waits")
            os.mkdir(os.path.join(directory, "records"))
            with open(os.path.join(directory, "records", "0.def"), "wb"):
                pass
            status, lines, errors = watching.end()
            self.assertEqual((status, errors), (0, ""))
            self.assertGreater(len(lines), 1)

    def test_address_of_ipv6(self):
        if not has_ipv6():
            self.skipTest("this host has no address [::1]")
        with tempfile.TemporaryDirectory() as directory:
            os.mkdir(os.path.join(directory, "records"))
            with open(os.path.join(directory, "records", "0.def"), "wb"):
                pass
            done = latecomer("watch", "--quiet", "--metrics", "[::1]:0", "--once", directory)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, r"^metrics: http://\[::1\]:\d+/metrics\n$")

    def test_report_that_cannot_be_written(self):
        with Run("heat2d", "--steps", "1000000", "--size", "8") as run:
            done = run.watch("--quiet", "--once", "--report", "/does/not/exist/watch.json")
            self.assertEqual(done.returncode, 3)
            self.assertIn("error: cannot write /does/not/exist/watch.json", done.stderr)

    def test_report_that_would_replace_something_else(self):
        with tempfile.TemporaryDirectory() as directory:
            target, link = os.path.join(directory, "target"), os.path.join(directory, "link")
            with open(target, "w", encoding="utf-8") as file:
                file.write("mine")
            os.symlink(target, link)
            for name in (link, directory, "/dev/null"):
                done = latecomer("watch", "--once", "--report", name, directory)
                self.assertEqual((done.returncode, done.stderr), (
                    3, "error: cannot write %s: it is no regular file\nhint:  name another file\n" % name))
            self.assertTrue(os.path.islink(link))

    def test_once_ends_though_the_run_goes_on(self):
        with Run("heat2d", "--steps", "1000000", "--size", "8") as run:
            self.assertFalse(json.loads(run.watch("--json", "--once").stdout)["ended"])
            self.assertFalse(json.loads(run.watch("--json", "--once", "--for", "0").stdout)["ended"])
            self.assertIsNone(run.scan.poll(), "the run goes on")


if __name__ == "__main__":
    unittest.main(verbosity=2)
