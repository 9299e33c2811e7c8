#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that cannot be seen have not ended, and are named."""
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from support import LATECOMER, SECONDS, Run, latecomer  # noqa: E402

NOBODY = 65534


def limit(**limits):
    """For subprocess: limits of the process, such as NOFILE=20."""
    def set_limits():
        for name, value in limits.items():
            resource.setrlimit(getattr(resource, "RLIMIT_" + name), (value, value))
    return set_limits


class Unseen(unittest.TestCase):
    """Ranks that cannot be seen have not ended, and are named."""

    def test_limit_of_open_files(self):
        with Run("heat2d", "--steps", "1000000") as run:
            with run.watching() as watching:
                watching.until(lambda state: len(state["ranks"]) == 4)
            done = run.watch("--json", "--once", preexec_fn=limit(NOFILE=20))  # 4, and 16 for other purposes
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            state = json.loads(done.stdout)
            why = "this process may not open more files (ulimit -n)"
            self.assertEqual(state["not_watched"], [{"rank": 2, "why": why}, {"rank": 3, "why": why}])
            self.assertEqual([one["rank"] for one in state["ranks"]], [0, 1])
            self.assertFalse(state["ended"])
            done = run.watch("--json", preexec_fn=limit(NOFILE=12))
            self.assertEqual(done.returncode, 3)
            self.assertIn("error: no rank of the run can be watched; rank 0: " + why, done.stderr)
            self.assertFalse(json.loads(done.stdout.splitlines()[-1])["ended"])

    def test_another_user(self):
        """Its processes are not shown by the kernel, and its files perhaps not."""
        if os.geteuid() != 0:
            self.skipTest("only root may start programs of other users")
        with Run("heat2d", "--steps", "1000000") as run:
            with run.watching() as watching:
                watching.until(lambda state: len(state["ranks"]) == 4)
            os.chmod(run.directory.name, 0o755)
            os.chmod(run.experiment, 0o755)
            program = shutil.copy(LATECOMER + "-watch", run.path("watch"))  # where it was built may be closed to others

            def watch(*words):
                return subprocess.run([program, "--schedule", "normal", "--json", *words, run.experiment],
                                      capture_output=True, text=True, timeout=SECONDS, check=False, user=NOBODY)

            records = os.path.join(run.experiment, "records")
            os.chmod(records, 0o755)
            for name in os.listdir(records):
                os.chmod(os.path.join(records, name), 0o644)
            done = watch("--for", "5")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            last = json.loads(done.stdout.splitlines()[-1])
            self.assertEqual((last["ended"], len(last["ranks"])), (False, 4))
            os.chmod(os.path.join(records, "1.0.rec"), 0o600)
            done = watch("--once")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["not_watched"], [
                {"rank": 1, "why": "cannot read %s/1.0.rec: Permission denied" % records}])
            os.chmod(records, 0o700)
            done = watch("--once")
            self.assertEqual(done.returncode, 3)
            self.assertIn("error: cannot read %s: Permission denied" % records, done.stderr)
            self.assertIsNone(run.scan.poll(), "the run goes on")

    def test_numbers_that_cannot_be(self):
        """Damaged logs name any rank and any size; the memory is that of a few ranks."""
        with tempfile.TemporaryDirectory() as directory:
            os.mkdir(os.path.join(directory, "records"))
            for rank, size in ((0, 4), (1, 4), (16777215, 16777216), (2, 16777216)):
                with open(os.path.join(directory, "records", "%d.def" % rank), "w", encoding="utf-8") as log:
                    log.write("process\t%d\t%d\t0\n" % (rank, size))
            done = latecomer("watch", "--once", "--json", directory, preexec_fn=limit(AS=1 << 30))
            self.assertEqual(done.returncode, 0, done.stderr)
            state = json.loads(done.stdout)
            self.assertEqual(state["size"], 65536)  # as many votes as for 4
            self.assertEqual(state["not_watched"][-1],
                             {"rank": 16777215, "why": "its number is too high for a run of 65536 ranks"})
            os.remove(os.path.join(directory, "records", "2.def"))
            done = latecomer("watch", "--once", "--json", directory, preexec_fn=limit(AS=1 << 30))
            self.assertEqual(json.loads(done.stdout)["size"], 4)


if __name__ == "__main__":
    unittest.main(verbosity=2)
