#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Machines that cannot have a testbed: one clear message, status 77, and nothing is run."""
import subprocess
import sys

from support import CANNOT, TESTBED, TestbedTest, main

COMMAND = [sys.executable, TESTBED, "--metahosts", "a,b", "--", "echo", "it ran"]


class Unavailable(TestbedTest):
    def check(self, before, *parts):
        done = subprocess.run(before + COMMAND, capture_output=True, text=True, timeout=200)
        self.assertEqual((done.returncode, done.stdout), (CANNOT, ""), done.stderr)
        self.assertEqual([line.split(":")[0] for line in done.stderr.splitlines()], ["error", "hint"])
        for part in parts:
            self.assertIn(part, done.stderr)

    def test_not_root(self):
        # A user namespace without a mapped user: everything can be read, but no process is root.
        self.check(["unshare", "--user", "--"], "needs root")

    def test_no_device(self):
        self.check(["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /dev/net && exec "$@"', "sh"],
                   "no TUN", "/dev/net/tun")

    def test_device_without_driver(self):
        self.check(["unshare", "--mount", "sh", "-c",
                    "mount -t tmpfs none /dev/net && mknod /dev/net/tun c 10 199 && exec \"$@\"", "sh"],
                   "no TUN", "No such")

    def test_no_privilege(self):
        # Root without capabilities, as in most containers.
        self.check(["setpriv", "--bounding-set=-sys_admin", "--"], "namespace", "Operation not permitted")


if __name__ == "__main__":
    main()
