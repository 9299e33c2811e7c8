#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of check_skips.py: its recognition of skipped tests, and the tests that it accepts."""
import os
import subprocess
import sys
import tempfile
import unittest

CHECK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "check_skips.py")
TABLE = "tests\twhen\treason\npair_[12]\talways\tneeds three\nmounts\tno mounting\tcan be mounted\n"
PARTLY = "test_a (__main__.T.test_a) ... ok\ntest_b (__main__.T.test_b) ... skipped 'needs three processes'\n\nOK (skipped=1)\n"
GOOD = {"pair_1": PARTLY, "other": "all is well: 3 tests, # skipped 0\nOK\n"}


class CheckSkips(unittest.TestCase):
    def check(self, outputs, whole=(), others=None):
        """Exit status and output for tests that printed this; those in `whole` were skipped by ctest. `others` were
        printed by the tests of another build."""
        with tempfile.TemporaryDirectory() as scratch:
            table, results = os.path.join(scratch, "table.tsv"), []
            for printed in (outputs, others or {}):
                results.append(os.path.join(scratch, "tests%d.xml" % len(results)))
                with open(results[-1], "w") as file:
                    file.write("<testsuite>%s</testsuite>" % "".join(
                        "<testcase name='%s'>%s<system-out>%s</system-out></testcase>"
                        % (name, "<skipped/>" if name in whole else "", text) for name, text in printed.items()))
            with open(table, "w") as file:
                file.write(TABLE)
            done = subprocess.run([sys.executable, CHECK, *results, table], capture_output=True, text=True)
            return done.returncode, done.stdout

    def fails(self, text, *arguments):
        status, said = self.check(*arguments)
        self.assertEqual(status, 1, said)
        self.assertIn("error: " + text, said)

    def test_known_skips_pass(self):
        self.assertEqual(self.check(GOOD), (0, "test: skipped, or a part of it, as the tables say: 1 of the tests\n"))
        self.assertEqual(self.check(dict(GOOD, mounts="skipped: nothing can be mounted here\n"), ["mounts"])[0], 0)

    def test_unknown_skips_fail(self):
        self.fails("new was skipped, which no table knows: no time", dict(GOOD, new="skipped: no time\n"), ["new"])
        self.fails("new was skipped, which no table knows: it's late", dict(GOOD, new='test_c ... skipped "it\'s late"\n'))
        self.fails("new was skipped, which no table knows: no file", dict(GOOD, new="a_test.cpp:7: warning:\n  skipped: no file\n"))
        self.fails("pair_1 was skipped, which no table knows: other", dict(GOOD, pair_1=PARTLY + "skipped: other\n"))
        self.fails("new was skipped, which no table knows: without a reason", dict(GOOD, new=""), ["new"])
        self.fails("new was skipped, which no table knows: without a reason", dict(GOOD, new="OK (skipped=2)\n"))

    def test_skips_in_several_builds(self):
        self.fails("new was skipped, which no table knows: no time", GOOD, (), {"new": "skipped: no time\n"})
        self.assertEqual(self.check({"other": "OK\n"}, (), {"pair_1": PARTLY})[0], 0)

    def test_what_is_always_skipped_must_be(self):
        self.fails("pair_[12] was not skipped (needs three)", dict(GOOD, pair_1="OK\n"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
