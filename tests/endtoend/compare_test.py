#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""latecomer diff, mean, merge and cut on runs of the heat program, one with a known change."""
import json
import os
import tempfile
import unittest

from support import LATECOMER, MPIEXEC, app, run, scan

STEPS, MORE = 40, 10  # milliseconds that rank 0 computes longer in each step


def latecomer(*words):
    return run([LATECOMER, *words])


class Compare(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        for name, ranks, more in (("usual", 4, 0), ("again", 4, 0), ("slower", 4, MORE), ("three", 3, MORE)):
            done = scan("--yield", "--sample", "off", "-e", cls.path(name), MPIEXEC, "-n", str(ranks), app("heat2d"),
                        "--steps", str(STEPS), "--uneven", str(more))
            assert done.returncode == 0, done.stderr

    @classmethod
    def path(cls, name):
        return os.path.join(cls.scratch.name, name)

    def printed(self, *words):
        done = latecomer(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def values(self, report):
        """Maps each metric to the sum of all its values."""
        sums = {}
        for row in json.loads(self.printed("json", self.path(report)))["values"]:
            sums[row["metric"]] = sums.get(row["metric"], 0) + sum(row["values"])
        return sums

    def test_the_known_change_comes_first(self):
        for after, ranks in (("slower", 4), ("three", 3)):
            found = json.loads(self.printed("diff", "--json", self.path("usual"), self.path(after)))
            first = found["changes"][0]
            self.assertEqual((first["metric"], first["call_path"]), ("comp", ["heat2d", "main"]))
            self.assertGreater(first["change"], 0.9 * STEPS * MORE / 1000)
            self.assertGreater(first["caused_waiting"], 0)
            if ranks == 4:
                self.assertEqual(first["ranks"][0]["rank"], 0)
                self.assertGreater(first["ranks"][0]["change"], 0.9 * STEPS * MORE / 1000)
            else:
                self.assertIn("sums", found["notes"][0])
            text = self.printed("diff", self.path("usual"), self.path(after), "--top", "3")
            lines = text.splitlines()
            row = next(i for i, line in enumerate(lines) if line.startswith("Largest changes"))
            self.assertRegex(lines[row + 1], r"^  Computation +main +\d")
            self.assertNotIn("\x1b", text)
        back = json.loads(self.printed("diff", "--json", self.path("slower"), self.path("usual")))
        self.assertLess(back["changes"][0]["change"], 0)
        self.assertEqual(back["changes"][0]["call_path"], ["heat2d", "main"])

    def test_nothing_differs_from_itself(self):
        self.assertIn("No value differs.", self.printed("diff", self.path("usual"), self.path("usual")))

    def test_reports_made_of_reports(self):
        self.printed("diff", self.path("usual"), self.path("slower"), "-o", self.path("diff.cubex"))
        self.printed("mean", self.path("usual"), self.path("slower"), "-o", self.path("mean.cubex"))
        self.printed("merge", self.path("usual"), self.path("slower"), "-o", self.path("merge.cubex"))
        usual, slower = self.values("usual"), self.values("slower")
        diff, mean, merge = self.values("diff.cubex"), self.values("mean.cubex"), self.values("merge.cubex")
        for metric in set(usual) | set(slower):
            a, b = usual.get(metric, 0), slower.get(metric, 0)
            near = {"delta": 1e-9 * (abs(a) + abs(b))}
            self.assertAlmostEqual(diff.get(metric, 0), b - a, **near)
            self.assertAlmostEqual(mean.get(metric, 0), (a + b) / 2, **near)
        for metric, value in usual.items():
            self.assertAlmostEqual(merge.get(metric, 0), value, delta=1e-9 * abs(value))
        # A mean is a report like any other; a + (b - a) is b.
        self.assertIn("heat2d", self.printed("show", self.path("mean.cubex")))
        self.printed("cut", self.path("usual"), "--prune", "residual", "-o", self.path("pruned.cubex"))
        self.assertAlmostEqual(self.values("pruned.cubex")["time"], usual["time"], delta=1e-9 * usual["time"])
        self.assertNotIn("residual", self.printed("show", "--metric", "time", self.path("pruned.cubex")))
        self.printed("cut", self.path("usual"), "--root", "residual", "--metric", "mpi", "-o", self.path("root.cubex"))
        rows = json.loads(self.printed("json", self.path("root.cubex")))
        self.assertEqual({path["names"][0] for path in rows["call_paths"]}, {"residual"})
        self.assertNotIn("visits", {metric["name"] for metric in rows["metrics"]})

    def test_reports_of_other_tools(self):
        example = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "report", "data", "cube_example.cubex")
        self.printed("mean", example, example, "-o", self.path("foreign.cubex"))
        self.assertIn("No value differs.", self.printed("diff", example, self.path("foreign.cubex")))
        strangers = latecomer("diff", example, self.path("usual"))
        self.assertEqual(strangers.returncode, 3)
        self.assertIn("share no call path", strangers.stderr)

    def test_refusals(self):
        exists = self.path("exists.cubex")
        self.printed("mean", self.path("usual"), self.path("again"), "-o", exists)
        for words, status, text in (
                (("mean", self.path("usual"), self.path("again"), "-o", exists), 2, "exists already"),
                (("mean", self.path("usual"), "-o", exists), 2, "takes REPORT... -o NEW.cubex, at least 2"),
                (("merge", self.path("usual"), "-o", exists), 2, "at least 2"),
                (("mean", self.path("usual"), self.path("again")), 2, "needs --output"),
                (("diff", self.path("usual"), self.path("missing")), 3, "there is no"),
                (("diff", self.path("usual"), self.path("again"), "--metric", "tiem"), 2, "nearest is time"),
                (("cut", self.path("usual"), "-o", self.path("x.cubex")), 2, "nothing was chosen"),
                (("cut", self.path("usual"), "-o", self.path("x.cubex"), "--root", "mian"), 2, "nearest name is main"),
                (("cut", self.path("usual"), "-o", self.path("x.cubex"), "--prune", "heat2d"), 2, "nothing is left")):
            done = latecomer(*words)
            self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
