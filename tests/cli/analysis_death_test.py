#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One of several analysis processes is killed: the others end, and no incomplete report passes for
a complete one."""
import os
import signal
import subprocess
import tempfile
import time
import unittest

ANALYZER, GENERATE, MPIEXEC = (os.environ[name] for name in ("ANALYZER", "GENERATE", "MPIEXEC"))
PROCESSES = 3
SOON = 100  # seconds; it usually takes less than one


class Death(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name
        self.trace = os.path.join(self.scratch, "trace")
        self.report = os.path.join(self.scratch, "report.cubex")
        subprocess.run([GENERATE, "-n", "6", "-e", "400000", "-m", "2", self.trace], check=True, capture_output=True)

    def start(self):
        """Starts the analysis; each process writes its process id to pid.RANK."""
        leave = 'echo $$ > "$0.part.$$" && mv "$0.part.$$" "$0.${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" && exec "$@"'
        return subprocess.Popen(
            [MPIEXEC, "-n", str(PROCESSES), "sh", "-c", leave,
             os.path.join(self.scratch, "pid"), ANALYZER, "-q", "-o", self.report, self.trace],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def pid_of(self, rank, launcher):
        path = os.path.join(self.scratch, "pid.%d" % rank)
        until = time.monotonic() + SOON
        while not os.path.exists(path):
            self.assertIsNone(launcher.poll(), "the analysis has not begun")
            self.assertLess(time.monotonic(), until)
            time.sleep(0.001)
        with open(path) as file:
            pid = int(file.read())
        os.unlink(path)
        return pid

    def whole(self):
        launcher = self.start()
        _, errors = launcher.communicate(timeout=SOON)
        self.assertEqual(launcher.returncode, 0, errors)
        with open(self.report, "rb") as file:
            content = file.read()
        os.unlink(self.report)
        return content

    def test_death_at_any_time(self):
        begin = time.monotonic()
        expected = self.whole()
        took = time.monotonic() - begin
        died = 0
        for rank in range(PROCESSES):
            for moment in (0, 0.2, 0.4, 0.6, 0.8):  # parts of the time that it takes
                for left in os.listdir(self.scratch):
                    if left.startswith("pid."):
                        os.unlink(os.path.join(self.scratch, left))
                with self.subTest(rank=rank, moment=moment):
                    launcher = self.start()
                    pid = self.pid_of(rank, launcher)
                    time.sleep(moment * took)
                    try:
                        os.kill(pid, signal.SIGKILL)
                    except ProcessLookupError:
                        pass  # it had ended before
                    launcher.communicate(timeout=SOON)
                    if launcher.returncode != 0:
                        died += 1
                    else:
                        self.assertTrue(os.path.exists(self.report), "status 0 without a report")
                    if os.path.exists(self.report):
                        with open(self.report, "rb") as file:
                            self.assertEqual(file.read(), expected, "half a report")
                        os.unlink(self.report)
        self.assertGreaterEqual(died, PROCESSES, "nothing was killed")
        self.assertEqual(self.whole(), expected)
        # No other files are left.
        left = [name for name in os.listdir(self.scratch) if not name.startswith("pid.")]
        self.assertEqual(sorted(left), ["report.stat", "trace"])


if __name__ == "__main__":
    unittest.main(argv=[__file__], verbosity=2)
