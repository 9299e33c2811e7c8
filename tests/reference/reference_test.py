#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The reference traces give the same numbers as the reference, and the same bytes on any number of
processes."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from reference import archive_of, expected  # noqa: E402

ANALYZER, LATECOMER, MPIEXEC = (os.environ[name] for name in ("ANALYZER", "LATECOMER", "MPIEXEC"))
# If delays follow each other, some are charged to slightly later ones than by the reference.
CAUSES = ("delay_", "mpi_wait_indirect_", "mpi_wait_propagating_")


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


def rows_of(report):
    """Metric -> {call path: value per rank}, exclusive along the call tree, including the parts of
    the metric."""
    printed = subprocess.run([LATECOMER, "json", report], check=True, capture_output=True, text=True).stdout
    data = json.loads(printed)
    paths = {path["id"]: "/".join(path["names"]) for path in data["call_paths"]}
    found = {}
    for row in data["values"]:
        rows = found.setdefault(row["metric"], {})
        path = paths[row["call_path"]]
        rows[path] = [a + b for a, b in zip(row["values"], rows.get(path, [0] * len(row["values"])))]
    return found


class Reference(unittest.TestCase):
    def analyze(self, archive, processes, report, rules=("--scalasca-compatible",)):
        run = subprocess.run(
            [MPIEXEC, "-n", str(processes), ANALYZER, *rules, "-q", "-o", report, archive],
            capture_output=True, text=True, timeout=250)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))

    def compare(self, report, values, but):
        """Values agree within a thousandth, or a microsecond.

        Those of metrics that begin with `but` do in all within half a hundredth.
        """
        found, compared = rows_of(report), 0
        whole = apart = 0
        with open(values) as file:
            wanted = json.load(file)
        for name, metric in wanted["metrics"].items():
            least = 1e-6 if metric["unit"] == "sec" else 0
            nothing, rows = [0] * wanted["locations"], found.get(name, {})
            if name.startswith(but):
                for path in set(metric["values"]) | set(rows):
                    pairs = list(zip(metric["values"].get(path, nothing), rows.get(path, nothing)))
                    whole += sum(a for a, _ in pairs)
                    apart += sum(abs(a - b) for a, b in pairs)
                continue
            for path in set(metric["values"]) | set(rows):
                for rank, (a, b) in enumerate(zip(metric["values"].get(path, nothing), rows.get(path, nothing))):
                    compared += 1
                    self.assertLessEqual(abs(a - b), max(least, 1e-3 * max(abs(a), abs(b))), (name, path, rank, a, b))
        self.assertGreater(compared, 100)
        self.assertLessEqual(apart, 5e-3 * whole)

    def check(self, name, but=()):
        with tempfile.TemporaryDirectory() as scratch:
            archive, reports = archive_of(name, scratch), []
            for processes in (1, 2, 3, 4, 5):
                report = os.path.join(scratch, "%d.cubex" % processes)
                self.analyze(archive, processes, report)
                with open(report, "rb") as f:
                    reports.append(f.read())
            for other in reports[1:]:
                self.assertEqual(reports[0], other)
            self.compare(os.path.join(scratch, "1.cubex"), expected(name, "json"), but)
            found = statistics(os.path.join(scratch, "1.stat"))
            with open(os.path.join(scratch, "5.stat"), "rb") as a, open(os.path.join(scratch, "1.stat"), "rb") as b:
                self.assertEqual(a.read(), b.read())
            for metric, (numbers, worst) in statistics(expected(name, "stat")).items():
                with self.subTest(metric=metric):
                    # The reference's quantiles are approximations, its means have 7 digits, and its
                    # leave of a call is the end of its record.
                    self.assertEqual(found[metric][0][0], numbers[0])
                    for i in (1, 3, 4, 5, 6):
                        if i < len(numbers):
                            self.assertAlmostEqual(found[metric][0][i], numbers[i], delta=6e-8)
                    self.assertEqual(len(found[metric][0]), len(numbers))
                    self.assertEqual(found[metric][1], worst)

    def test_waiting_has_causes(self):
        """By Latecomer's own rules less than a hundredth of the waiting in a complete trace has no
        known cause."""
        for name in ("waitstates", "npb-cg-S", "npb-lu-W"):
            with self.subTest(trace=name), tempfile.TemporaryDirectory() as scratch:
                report = os.path.join(scratch, "1.cubex")
                self.analyze(archive_of(name, scratch), 1, report, [])
                rows = rows_of(report)
                waits, unknown = (sum(map(sum, rows.get(metric, {}).values())) for metric in ("delay", "delay_unknown"))
                self.assertGreater(waits, 0.5)
                self.assertLess(unknown, 0.01 * waits)

    def test_waitstates(self):
        self.check("waitstates")

    def test_npb_cg(self):
        self.check("npb-cg-S")

    def test_npb_lu(self):
        self.check("npb-lu-W", CAUSES)


if __name__ == "__main__":
    unittest.main()
