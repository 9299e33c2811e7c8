#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The history of benchmarks: which changes count, and what the noise model makes of a series."""

import math
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
from bench_lib import history, timed  # noqa: E402


def session(version, *ratios, loaded=False, machine="m"):
    return {"version": version, "machine": machine,
            "rows": [{"key": "k", "ratios": list(ratios), "loaded": loaded}]}


class Noise(unittest.TestCase):
    def test_median_of_logarithms_and_its_error(self):
        # Logarithms -0.1, 0, 0.1: median 0, median deviation 0.1, sigma 0.14826,
        # standard error of the median 1.2533 * 0.14826 / sqrt(3) = 0.10728.
        middle, error = history.logarithm([math.exp(x) for x in (-0.1, 0, 0.1)])
        self.assertAlmostEqual(middle, 0)
        self.assertAlmostEqual(error, 0.10728, 5)

    def test_outliers_do_not_widen_the_spread(self):
        self.assertAlmostEqual(history.spread([1, 1.1, 0.9, 1, 50]), 0.14826)

    def test_few_sessions_have_the_usual_spread(self):
        self.assertEqual(history.between_sessions({"a": [0.0, 0.3], "b": [5.0]}), history.USUAL_SPREAD)
        # Deviations 0.1, 0, 0.1 in a and 0.2, 0.2 in b: their median is 0.1.
        self.assertAlmostEqual(history.between_sessions({"a": [0.9, 1.0, 1.1], "b": [2.0, 2.4]}), 0.14826)


class Compare(unittest.TestCase):
    def test_a_change_beyond_the_noise_differs(self):
        # Without scatter the noise is 3 * 5 %: a ratio of 1.1 does not differ from 1, 1.2 does.
        old = [session("a", 1.0, 1.0)]
        same, = history.compare(old, session("b", 1.1, 1.1))
        slower, = history.compare(old, session("b", 1.2, 1.2))
        self.assertFalse(same["differs"])
        self.assertTrue(slower["differs"])
        self.assertAlmostEqual(slower["change"], 0.2)
        self.assertAlmostEqual(slower["noise"], math.expm1(0.15))

    def test_scatter_within_the_session_counts(self):
        # Median deviation 0.2: 3 * 1.2533 * 0.29652 / sqrt(3) = 0.64 is more than log(1.2).
        noisy = [1.2 * math.exp(x) for x in (-0.2, 0, 0.2)]
        self.assertFalse(history.compare([session("a", 1.0)], session("b", *noisy))[0]["differs"])

    def test_the_last_other_version_is_compared(self):
        old = [session("a", 9.0), session("b", 2.0), session("b", 2.0), session("c", 1.0)]
        self.assertAlmostEqual(history.compare(old, session("c", 1.0))[0]["before"], 2.0)
        self.assertAlmostEqual(history.compare(old, session("d", 1.0))[0]["before"], 1.0)
        self.assertAlmostEqual(history.compare(old[:1], session("a", 9.0))[0]["before"], 9.0)
        again = [session("a", 9.0), session("b", 2.0), session("a", 9.0)]
        self.assertAlmostEqual(history.compare(again, session("c", 1.0))[0]["before"], 9.0)

    def test_other_load_and_other_machines_do_not_count(self):
        self.assertEqual(history.compare([session("a", 1.0, loaded=True)], session("b", 1.0)), [])
        self.assertEqual(history.compare([session("a", 1.0)], session("b", 1.0, loaded=True)), [])
        self.assertEqual(history.compare([session("a", 1.0, machine="x")], session("b", 1.0)), [])

    def test_a_file_is_appended_to_and_its_broken_lines_are_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "new" / "bench.jsonl"
            self.assertEqual(history.load(file), [])
            history.append(file, session("a", 1.0))
            with file.open("a") as out:
                out.write('{"machine": "cut\n[]\n')
            history.append(file, session("b", 2.0))
            self.assertEqual([s["version"] for s in history.load(file)], ["a", "b"])


class Times(unittest.TestCase):
    def test_processor_time_of_children_counts(self):
        # The shell waits for the loop in its child.
        loop = "import time\nwhile time.process_time() < 0.2: pass"
        done = timed.run(["sh", "-c", f'"{sys.executable}" -c "$1"; echo done', "sh", loop])
        self.assertEqual(done.output, "done\n")
        self.assertGreaterEqual(done.processor, 0.2)

    def test_a_failure_tells_what_the_command_said(self):
        with self.assertRaisesRegex(timed.Failed, "status 3\nno such thing"):
            timed.run(["sh", "-c", "echo no such thing >&2; exit 3"])

    def test_other_load_is_a_mean_over_all_runs(self):
        # 0.3 s of other work in 3 s.
        runs = [timed.Timed(1, 1, 0.3, ""), timed.Timed(2, 1, 0, "")]
        self.assertAlmostEqual(timed.other_load(runs), 0.1)


if __name__ == "__main__":
    unittest.main()
