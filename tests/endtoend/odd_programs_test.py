#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs without symbols, with code that they make themselves, that use perf and timers themselves, or with other
rights than their user's: they run as without Latecomer, and the report says what is known."""
import json
import os
import pwd
import shutil
import stat
import tempfile
import unittest

from support import LATECOMER, MPIEXEC, run, scan

PROGRAM = os.environ["ODD_PROGRAMS"]


class OddPrograms(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name
        self.experiment = os.path.join(self.directory, "experiment")

    def record(self, program, what, ranks=2):
        done = scan("--yield", "--sample", "1000", "--overwrite", "-e", self.experiment, MPIEXEC, "-n", str(ranks), program,
                    what, cwd=self.directory)
        if "without samples of the computation" in done.stderr:
            self.skipTest("skipped: the kernel refuses samples")
        return done

    def computation(self):
        return json.loads(run([LATECOMER, "json", self.experiment]).stdout)["extras"]["computation"]

    def test_stripped(self):
        program = os.path.join(self.directory, "stripped")
        self.assertEqual(run(["strip", "--strip-all", "-o", program, PROGRAM]).returncode, 0)
        done = self.record(program, "plain")
        self.assertEqual(done.returncode, 0, done.stderr)
        names = [one["name"] for one in self.computation()["functions"] if one["self"] > 0.2]
        self.assertTrue(any(name.startswith("stripped+0x") for name in names), names)
        self.assertRegex(" ".join(done.stderr.split()), r"(computed longer for .* in .*stripped\+0x|had no core for)")

    def test_made_code(self):
        done = self.record(PROGRAM, "made")
        self.assertEqual(done.returncode, 0, done.stderr)
        computation = self.computation()
        self.assertGreater(computation["samples"], 300)
        made = [one for one in computation["functions"] if one["name"] in ("<code without a file>", "run_made_code")]
        self.assertGreater(sum(one["samples"] for one in made), 300, computation["functions"])
        text = " ".join(done.stderr.split())
        self.assertRegex(text, r"cause: main.* \(rank 0\) made others wait")
        self.assertNotIn("not on a core", text)

    def test_perf_and_timers_of_its_own(self):
        bare = run([MPIEXEC, "-n", "2", PROGRAM, "perf"])
        self.assertEqual(bare.returncode, 0, bare.stderr)
        done = self.record(PROGRAM, "perf")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, bare.stdout)
        self.assertIn("signals yes yes", bare.stdout)
        self.assertGreater(self.computation()["samples"], 300)

    def test_other_rights(self):
        """The dynamic linker preloads nothing then. So nothing is recorded, and scan says so."""
        program = os.path.join(self.directory, "other_rights")
        shutil.copy(PROGRAM, program)
        try:
            os.chown(program, pwd.getpwnam("nobody").pw_uid, -1)
        except (PermissionError, KeyError):
            self.skipTest("skipped: only root can make such a program")
        os.chmod(program, stat.S_ISUID | 0o755)
        os.chmod(self.directory, 0o755)
        done = self.record(program, "plain", ranks=1)  # some MPI libraries cannot connect two such processes
        self.assertIn("refused 0", done.stdout)
        self.assertFalse(os.path.exists(self.experiment))
        self.assertIn("nothing was recorded", done.stderr)


if __name__ == "__main__":
    unittest.main()
