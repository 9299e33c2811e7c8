#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Experiments on full and read-only file systems; skipped if mounting is not possible."""
import os
import subprocess
import sys
import unittest

from support import ScanTest

SKIPPED = 77
INSIDE = "LATECOMER_TEST_INSIDE"  # set in its own mount namespace


def in_own_mount_namespace():
    for unshare in (["unshare", "-m"], ["unshare", "-r", "-m"]):
        if subprocess.run(unshare + ["mount", "-t", "tmpfs", "tmpfs", "/mnt"],
                          capture_output=True).returncode == 0:
            return subprocess.run(unshare + [sys.executable] + sys.argv,
                                  env=dict(os.environ, **{INSIDE: "1"})).returncode
    print("skipped: nothing can be mounted here")
    return SKIPPED


class NoRoom(ScanTest):
    def mount(self, options):
        place = os.path.join(self.directory, "place")
        os.mkdir(place)
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], check=True)
        self.addCleanup(subprocess.run, ["umount", place], check=True)
        self.experiment = os.path.join(place, "experiment")
        return place

    def test_read_only(self):
        self.mount("ro")
        self.check_refused(self.run_ends(), 2, "read-only file system")

    def test_no_room_for_a_directory(self):
        self.mount("nr_inodes=1")
        self.check_refused(self.run_ends(), 2, "No space left on device")

    def test_full_at_the_start(self):
        place = self.mount("size=64k")
        done = self.run_ends()
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
        self.assertIn("No space left on device", done.stderr)
        self.assertEqual(os.listdir(place), [])

    def test_full_in_the_middle(self):
        """The program ends well, but its records do not. No rank is reported to have missed
        MPI_Finalize."""
        self.mount("size=500k")
        done = self.run_ends("many", options=("--buffer-size", "16K"))
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("could not be written to", done.stderr)
        subprocess.run(["mount", "-o", "remount,size=50m", os.path.dirname(self.experiment)], check=True)
        done = self.scan("-a", self.experiment)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertRegex(done.stderr, r"Where recording ended, not the run\n  the records of ranks 0, 1 could not be stored "
                         r"any longer, the first after ")
        self.assertIn("records that could not be stored while the program ran: No space left on device", " ".join(done.stderr.split()))
        self.assertNotIn("MPI_Finalize", done.stderr)

    def test_full_at_the_end(self):
        """There was room for the records, but not for the archive. The program has ended well."""
        self.mount("size=800k")
        done = self.run_ends("many")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
        self.assertIn("scan -a " + self.experiment, done.stderr)
        subprocess.run(["mount", "-o", "remount,size=50m", os.path.dirname(self.experiment)], check=True)
        done = self.scan("-a", self.experiment)
        self.assertIn(done.returncode, (0, 4), done.stderr)
        self.assertTrue(os.path.exists(self.file("analysis.cubex")))


if __name__ == "__main__":
    if INSIDE in os.environ:
        del os.environ[INSIDE]
        unittest.main()
    sys.exit(in_own_mount_namespace())
