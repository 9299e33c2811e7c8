#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The reference traces: the same numbers as the reference, the same bytes on any number of processes."""
import os
import subprocess
import sys
import tempfile
import unittest

ANALYZER, MPIEXEC, SHARED = (os.environ[name] for name in ("ANALYZER", "MPIEXEC", "SHARED"))

def statistics(path):
    """Metric -> ([count, mean, median, minimum, maximum, sum, ...], [(duration, rank) of the worst])."""
    found = {}
    with open(path) as lines:
        next(lines)
        for words in map(str.split, lines):
            if words and words[0] == "-":
                found[name][1].append((words[8], words[10]))
            elif words:
                name = words[0]
                found[name] = (list(map(float, words[1:])), [])
    return found


@unittest.skipUnless(os.path.isdir(SHARED), "skipped: no reference traces beside the project")
class Reference(unittest.TestCase):
    def analyze(self, name, processes, report):
        run = subprocess.run(
            [MPIEXEC, "-n", str(processes), ANALYZER, "--scalasca-compatible", "-q", "-o", report,
             os.path.join(SHARED, "reference", name, "archive")],
            capture_output=True, text=True, timeout=120)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))

    def check(self, name):
        with tempfile.TemporaryDirectory() as scratch:
            reports = []
            for processes in (1, 2, 3, 4, 5):
                report = os.path.join(scratch, "%d.cubex" % processes)
                self.analyze(name, processes, report)
                with open(report, "rb") as f:
                    reports.append(f.read())
            for other in reports[1:]:
                self.assertEqual(reports[0], other)
            command = [sys.executable, os.path.join(SHARED, "tools", "compare_report.py"),
                       os.path.join(scratch, "1.cubex"),
                       os.path.join(SHARED, "reference", name, "expected.json")]
            compared = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(compared.returncode, 0, compared.stdout + compared.stderr)
            found = statistics(os.path.join(scratch, "1.stat"))
            with open(os.path.join(scratch, "5.stat"), "rb") as a, open(os.path.join(scratch, "1.stat"), "rb") as b:
                self.assertEqual(a.read(), b.read())
            expected = statistics(os.path.join(SHARED, "reference", name, "expected.stat"))
            for metric, (numbers, worst) in expected.items():
                with self.subTest(metric=metric):
                    # Its quantiles are approximations, means have 7 digits; the leave of a call is the
                    # end of its record there.
                    self.assertEqual(found[metric][0][0], numbers[0])
                    for i in (1, 3, 4, 5, 6):
                        if i < len(numbers):
                            self.assertAlmostEqual(found[metric][0][i], numbers[i], delta=6e-8)
                    self.assertEqual(len(found[metric][0]), len(numbers))
                    self.assertEqual(found[metric][1], worst)

    def test_waitstates(self):
        self.check("waitstates")

    def test_npb_cg(self):
        self.check("npb-cg-S")


if __name__ == "__main__":
    unittest.main()
