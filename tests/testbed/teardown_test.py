#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""In whatever way the testbed ends, none of its processes, namespaces, devices or mounts is left."""
import os
import pty
import signal
import subprocess
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from launching import is_open_mpi  # noqa: E402
from support import MPIEXEC, TESTBED, TestbedTest, main, testbed

NETWORKS = 3 if is_open_mpi(MPIEXEC) else 2  # for three nodes on two metahosts
KINDS = ("net", "pid", "mnt", "ipc", "uts")


def namespaces_in_use():
    """Namespaces of all processes of the machine."""
    found = set()
    for entry in os.listdir("/proc"):
        for kind in KINDS:
            try:
                found.add(os.readlink("/proc/%s/ns/%s" % (entry, kind)))
            except OSError:
                pass
    return found


def mounts():
    with open("/proc/self/mountinfo") as f:
        return {tuple(line.split()[:5]) for line in f}


class Teardown(TestbedTest):
    """Every rank writes its namespaces to a file before it runs its command."""

    def setUp(self):
        super().setUp()
        self.told = os.path.join(self.directory, "namespaces")
        self.mounts = mounts()
        # Every rank runs this script: it writes its namespaces, then executes the command of the
        # test.
        self.tell = self.file("tell", "for kind in %s; do readlink /proc/self/ns/$kind; done >> %s\n"
                              'exec "$@"\n' % (" ".join(KINDS), self.told))

    def command(self, *words):
        return [sys.executable, TESTBED, "--metahosts", "juelich:1+1,bonn", "--shift", "bonn=100s", "--",
                MPIEXEC, "-n", "3", "sh", self.tell] + list(words)

    def start(self, *words, **more):
        """Starts the testbed and returns it after all ranks have written their namespaces."""
        process = subprocess.Popen(self.command(*words), stderr=subprocess.DEVNULL, **more)
        until = time.monotonic() + 200
        while len(self.lines()) < 3 * len(KINDS) and time.monotonic() < until:
            time.sleep(0.05)
        self.assertIsNone(process.poll(), "it ended too early")
        return process

    def lines(self):
        try:
            with open(self.told) as f:
                return f.read().split()
        except FileNotFoundError:
            return []

    def check_nothing_is_left(self, net=NETWORKS, mnt=NETWORKS, uts=3):
        own = set(self.lines())
        kinds = [name.split(":")[0] for name in own]
        self.assertEqual({kind: kinds.count(kind) for kind in KINDS},
                         {"net": net, "pid": 1, "mnt": mnt, "ipc": 1, "uts": uts})
        until = time.monotonic() + 100
        while own & namespaces_in_use() and time.monotonic() < until:
            time.sleep(0.05)
        self.assertEqual(own & namespaces_in_use(), set())
        self.assertEqual(mounts(), self.mounts)
        self.assertFalse(os.path.exists("/dev/shm/testbed"))

    def test_end(self):
        done = subprocess.run(self.command("true"), timeout=200)
        self.assertEqual(done.returncode, 0)
        self.check_nothing_is_left()

    def test_failure(self):
        done = subprocess.run(self.command("sh", "-c", "exit 5"), timeout=200)
        self.assertEqual(done.returncode, 5)
        self.check_nothing_is_left()

    def test_background_processes(self):
        done = testbed("--metahosts", "juelich,bonn", "--", "sh", self.tell,
                       "sh", "-c", "setsid sleep 1000 </dev/null >/dev/null 2>&1 & true")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_nothing_is_left(net=1, mnt=1, uts=1)

    def test_signals(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            with self.subTest(number.name):
                process = self.start("sleep", "1000")
                process.send_signal(number)
                self.assertEqual(process.wait(200), 128 + number)
                self.check_nothing_is_left()
                os.remove(self.told)

    def test_kill(self):
        process = self.start("sleep", "1000")
        process.kill()
        self.assertEqual(process.wait(200), -signal.SIGKILL)
        self.check_nothing_is_left()

    def test_interrupt_from_terminal(self):
        ours, terminal = pty.openpty()

        def take_terminal():
            os.setsid()
            os.close(os.open(os.ttyname(terminal), os.O_RDWR))  # the first one opened becomes ours

        process = self.start("sleep", "1000", stdin=terminal, stdout=terminal, preexec_fn=take_terminal)
        os.write(ours, b"\x03")
        self.assertEqual(process.wait(200), 128 + signal.SIGINT)
        self.check_nothing_is_left()
        os.close(ours)
        os.close(terminal)


if __name__ == "__main__":
    main()
