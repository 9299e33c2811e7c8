#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A trace with samples of the computation, which OTF2's own module writes here: report, views, copies."""
import json
import os
import sys
import tempfile
import unittest

from support import ANALYZER, LATECOMER, MPIEXEC, analyze, python_with_otf2, run

WRITER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "write_samples.py")


class Samples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.experiment = os.path.join(cls.scratch.name, "experiment")
        written = run([python_with_otf2(), WRITER, cls.experiment])
        assert written.returncode == 0, written.stderr
        cls.report = os.path.join(cls.scratch.name, "report.cubex")
        done = analyze(cls.experiment, 1, cls.report)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def show(self, *options):
        done = run([LATECOMER, "show", self.report, *options])
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_number_of_processes_makes_no_difference(self):
        other = os.path.join(self.scratch.name, "other.cubex")
        done = analyze(self.experiment, 2, other)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(self.report, "rb") as one, open(other, "rb") as two:
            self.assertEqual(one.read(), two.read())

    def test_functions_and_lines(self):
        found = json.loads(self.show("--computation", "--json"))["computation"]
        # Rank 0 computes 10 x 90 ms with 90 samples, rank 1 10 x 40 ms with 40 samples. Outside of the steps main has 1
        # ms before MPI_Init on each rank. The samples of a rank go round: line 88, line 125, line 90.
        self.assertEqual((found["samples"], found["samples_elsewhere"]), (130, 20))
        self.assertAlmostEqual(found["seconds"], 1.302)
        self.assertEqual(found["unsampled"], 0)
        self.assertAlmostEqual(found["processor_seconds"], 1.3)
        relax, norm, main = found["functions"]
        self.assertEqual([f["name"] for f in (relax, norm, main)], ["relax", "norm", "main"])
        # 60 of 90 and 27 of 40 samples of 901 and 401 ms; 30 of 90 and 13 of 40.
        self.assertAlmostEqual(relax["self"], 0.901 * 60 / 90 + 0.401 * 27 / 40, 8)
        self.assertAlmostEqual(norm["self"], 0.901 * 30 / 90 + 0.401 * 13 / 40, 8)
        self.assertAlmostEqual(main["inclusive"], 1.302)
        # Lines 125 and 90 have the same time: norm comes before relax.
        self.assertEqual([line["line"] for line in found["lines"]], [88, 125, 90])

    def test_views(self):
        summary = self.show()
        self.assertIn("Computation: 65 % of the time, 1.302 s (130 samples, one per 10.00 ms)\n", summary)
        self.assertIn("relax (heat.c, 22 % at line 88)\n", summary)
        self.assertLessEqual(len(summary.splitlines()), 24)
        self.assertIn("heat.c:125", self.show("--computation"))
        self.assertNotIn("norm", self.show("--computation", "--top", "1"))
        tree = self.show("--metric", "time")
        self.assertIn("relax", tree)
        page = os.path.join(self.scratch.name, "report.html")
        self.assertEqual(run([LATECOMER, "html", self.report, "-o", page]).returncode, 0)
        wrong = run([LATECOMER, "show", self.report, "--computation", "--by", "rank"])
        self.assertEqual(wrong.returncode, 2)

    def test_reports_without_samples(self):
        mean = os.path.join(self.scratch.name, "mean.cubex")
        self.assertEqual(run([LATECOMER, "mean", self.report, self.report, "-o", mean]).returncode, 0)
        done = run([LATECOMER, "show", mean, "--computation"])
        self.assertEqual(done.returncode, 3)
        self.assertIn("is a result of latecomer mean, which leaves out samples", done.stderr)

    def test_info_and_corrected_archive(self):
        info = run([LATECOMER, "info", self.experiment])
        self.assertIn("150 samples of the computation\n", info.stdout)
        corrected = os.path.join(self.scratch.name, "corrected")
        again = os.path.join(self.scratch.name, "again.cubex")
        done = run([MPIEXEC, "-n", "2", ANALYZER, "-q", "-o", again, "--write-corrected", corrected, self.experiment])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        prints = [run(["otf2-print", d + "/traces.otf2"]) for d in (self.experiment, corrected)]
        self.assertEqual(prints[0].stdout, prints[1].stdout)


if __name__ == "__main__":
    sys.exit(unittest.main())
