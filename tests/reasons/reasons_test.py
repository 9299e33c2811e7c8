#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The reason why a rank was late, in the report and in the line on the cause.

The program says for how long rank 0 was late. At least 90 % of that must go to the reason, and at most 5 % to any other.
Without a core is everybody on a machine with other load, so that part only counts where it is the reason."""
import json
import os
import re
import tempfile
import unittest

from support import LATECOMER, MPIEXEC, run, scan

REASONS = os.environ["REASONS"]
STEPS, MILLISECONDS = 20, 40
PARTS = ("blocked", "kernel", "off_processor", "preempted")


class Reasons(unittest.TestCase):
    def record(self, reason, options=()):
        """Seconds by which rank 0 was late, its difference to the others by reason, and the summary."""
        with tempfile.TemporaryDirectory() as scratch:
            experiment = os.path.join(scratch, "experiment")
            done = scan("--yield", "--sample", "1000", "-e", experiment, *options, MPIEXEC, "-n", "2", REASONS, reason,
                        str(STEPS), str(MILLISECONDS))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            if "without samples of the computation" in done.stderr:
                self.skipTest("skipped: the kernel refuses samples")
            printed = run(["otf2-print", os.path.join(experiment, "traces.otf2")])
            self.assertEqual((printed.returncode, printed.stderr), (0, ""))
            extras = json.loads(run([LATECOMER, "json", experiment]).stdout)["extras"]
        longer = [one for one in extras["longer_computation"] if one["location"] == 0]
        self.assertEqual(len(longer), 1, extras["longer_computation"])
        parts = dict(longer[0]["not_computing"])
        parts["computed"] = longer[0]["seconds"] - sum(parts[name] for name in PARTS)
        late = float(re.search(r"late ([0-9.]+) s", done.stdout).group(1))
        return late, parts, longer[0], " ".join(done.stderr.split())

    def check(self, reason, part, late, parts):
        with self.subTest(reason=reason, parts=parts, late=late):
            self.assertGreater(parts[part], 0.9 * late)
            for other in {*parts} - {part, "preempted"}:
                self.assertLess(abs(parts[other]), 0.05 * late, other)

    def test_more_work(self):
        late, parts, longer, text = self.record("more")
        computed = STEPS * MILLISECONDS * 1e-3  # processor time, whatever else ran meanwhile
        self.check("more", "computed", computed, parts)
        self.assertLess(parts["computed"] + parts["preempted"], 1.1 * late)
        self.assertRegex(text, r"it (computed [0-9.]+ m?s longer than the others in (compute|main)|had no core)")

    def test_sleep(self):
        late, parts, _, text = self.record("sleep")
        self.check("sleep", "blocked", late - parts["preempted"], parts)
        self.assertRegex(text, r"it was blocked for [0-9.]+ m?s longer than the others: asleep, or waiting for a file")

    def test_a_lock(self):
        late, parts, _, text = self.record("lock")
        self.check("lock", "blocked", late - parts["preempted"], parts)
        self.assertIn("it was blocked for", text)

    def test_page_faults(self):
        _, parts, longer, text = self.record("pages")
        in_kernel = STEPS * MILLISECONDS * 1e-3  # nearly all of its processor time
        self.assertGreater(parts["kernel"], 0.75 * in_kernel)
        self.assertLess(parts["computed"], 0.25 * in_kernel)
        self.assertLess(parts["blocked"], 0.05 * in_kernel)
        self.assertGreater(longer["page_faults"], 1000)
        self.assertRegex(text, r"was in the kernel for [0-9.]+ m?s longer")

    def test_no_core(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("skipped: both ranks need a core of their own")
        late, parts, _, text = self.record("core")
        # The other rank may have lost its core to something else meanwhile.
        self.assertGreater(parts["preempted"], 0.5 * late)
        self.assertLess(abs(parts["blocked"]), 0.05 * late)
        self.assertIn("had no core for", text)


if __name__ == "__main__":
    unittest.main()
