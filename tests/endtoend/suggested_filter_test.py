#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scan names functions whose recording costs much and writes a filter, which is used unchanged."""
import json
import os
import re
import tempfile
import unittest

from support import LATECOMER, MPIEXEC, run, scan

PROGRAM = os.environ["SMALL_FUNCTIONS"]
VISITS = 2 * 100 * 10_000  # of twice() on two ranks; leaf() has two times as many


def visits(experiment):
    """Number of visits of each function."""
    found = {}
    for line in run([LATECOMER, "csv", experiment]).stdout.splitlines():
        row = re.match(r"visits,.*/([^/,\"]+)\"?,[^,]*,.*?(\d+),occ$", line)
        if row:
            found[row.group(1)] = found.get(row.group(1), 0) + int(row.group(2))
    return found


class SuggestedFilter(unittest.TestCase):
    def test_a_second_run_with_it(self):
        with tempfile.TemporaryDirectory() as scratch:
            experiment = os.path.join(scratch, "an experiment")
            words = ["-e", experiment, MPIEXEC, "-n", "2", PROGRAM]
            before = scan(*words, cwd=scratch)
            path = os.path.join(experiment, "suggested.filter")
            self.assertEqual(before.returncode, 0, before.stderr)
            with open(os.path.join(experiment, "MANIFEST.md")) as file:
                self.assertEqual(file.read().count("| `suggested.filter` |"), 1)
            told = json.loads(run([LATECOMER, "filter", "--json", experiment]).stdout)
            after = scan("--overwrite", "-f", path, *words, cwd=scratch)
            self.assertEqual(after.returncode, 0, after.stderr)
            with open(path) as file:
                rules = file.read()
            with open(os.path.join(experiment, "MANIFEST.md")) as file:
                files = file.read()
            rest = json.loads(run([LATECOMER, "show", "--json", experiment]).stdout)
            left = visits(experiment)
            # Functions that the filter leaves out stay in the filter for a third run.
            again = run([LATECOMER, "filter", "--add-to", path, experiment])
            refused = run([LATECOMER, "filter", "-o", path, experiment])

        self.assertRegex(before.stderr, r"scan: measuring cost about .* of the processor time: [\d,]+ events of \d+ ns")
        self.assertRegex(before.stderr, r"warning: that is much, .* leaf \(\d+ %\), .*twice<double>.* \(\d+ %\): "
                                        r"scan -f 'an experiment/suggested.filter' leaves them out")
        self.assertEqual([f["visits"] for f in told["functions"]], [2 * VISITS, VISITS])
        self.assertRegex(rules, r"EXCLUDE leaf  # 4,000,000 visits, .*\n  EXCLUDE MANGLED _Z\w+  # 2,000,000 visits")
        self.assertEqual(files.count("| `suggested.filter` |"), 1)
        # The rest is main, seldom and MPI: 2 x (1 + 100 + 3) visits.
        self.assertEqual(left["main"], 2)
        self.assertEqual({name: count for name, count in left.items() if "seldom" in name}.popitem()[1], 200)
        self.assertNotIn("leaf", left)
        measured = rest["measurement"]
        self.assertLess(measured["events"], 500)
        # Every 1009th event is sampled; some samples may have been interrupted.
        self.assertGreater(measured["filtered_events"], 0.9 * 2 * 3 * VISITS)
        self.assertLessEqual(measured["filtered_events"], 2 * 3 * VISITS)
        self.assertLess(measured["seconds"], 0.7 * told["seconds"])
        self.assertEqual(again.stdout.count("EXCLUDE"), 2)
        self.assertEqual(refused.returncode, 2, refused.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
