#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Functions that block behave as without measurement, and the archive says in which ones the program was blocked."""
import os
import re
import tempfile
import unittest

from support import MPIEXEC, run, scan

BLOCKING = os.environ["BLOCKING"]
# Those that wait for some milliseconds, called by these functions of the program.
CALLS = {"sleeps": ["usleep", "nanosleep", "clock_nanosleep", "thrd_sleep"],
         "events": ["poll", "ppoll", "select", "pselect", "epoll_wait", "epoll_pwait", "semtimedop"],
         "data": ["recv", "recvfrom", "recvmsg", "read", "readv"],
         "children": ["waitpid", "waitid", "system"],
         "signals": ["usleep", "sigtimedwait"]}


class Blocking(unittest.TestCase):
    def record(self, *options):
        with tempfile.TemporaryDirectory() as scratch:
            experiment = os.path.join(scratch, "experiment")
            done = scan("-e", experiment, *options, MPIEXEC, "-n", "1", BLOCKING)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            printed = run(["otf2-print", "-A", os.path.join(experiment, "traces.otf2")])
            self.assertEqual((printed.returncode, printed.stderr), (0, ""))
            self.refused = "without samples of the computation" in done.stderr
            return done.stdout, printed.stdout

    def test_the_program_sees_no_difference(self):
        plain = run([MPIEXEC, "-n", "1", BLOCKING])
        self.assertEqual(plain.returncode, 0, plain.stderr)
        for options in ([], ["--threads", "off"], ["--files", "off"], ["--sample", "off"]):
            with self.subTest(options=options):
                self.assertEqual(self.record(*options)[0], plain.stdout)

    def test_places(self):
        _, printed = self.record()
        if self.refused:
            self.skipTest("skipped: the kernel refuses samples")
        found = set(re.findall(r'^CALLING_CONTEXT_SAMPLE .*?Context: "(\w+)".*Interrupt Generator: "blocked"', printed, re.M))
        self.assertTrue({name for names in CALLS.values() for name in names} <= found, found)


if __name__ == "__main__":
    unittest.main()
