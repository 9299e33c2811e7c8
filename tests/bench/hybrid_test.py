#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The interval that scripts/bench gives with the median of pairs of runs."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
from bench_lib.hybrid import interval  # noqa: E402


class Interval(unittest.TestCase):
    def test_few_values_give_all_of_their_range(self):
        self.assertEqual(interval([3.0]), (3.0, 3.0, 3.0))
        self.assertEqual(interval([5.0, 1.0, 2.0]), (2.0, 1.0, 5.0))
        # Six values: all are on one side of the true median with 2 / 64 = 3.1 %.
        self.assertEqual(interval([1, 2, 3, 4, 5, 6]), (3.5, 1, 6))

    def test_outliers_are_left_out_of_many_values(self):
        # At most one of nine values is below the true median with (1 + 9) / 512 = 2.0 %, at most two with 9 %.
        self.assertEqual(interval([1, 2, 3, 4, 5, 6, 7, 8, 900]), (5, 2, 8))
        # At most three of thirteen: (1 + 13 + 78 + 286) / 8192 = 4.6 %; at most two: 1.1 %.
        self.assertEqual(interval(list(range(13))), (6, 2, 10))
        self.assertEqual(interval([1, 2, 3, 4, 5, 6, 7, 8, 900], 0.8), (5, 3, 7))


if __name__ == "__main__":
    unittest.main(verbosity=2)
