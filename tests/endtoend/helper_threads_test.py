#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Threads that compute for a rank, and never call MPI: their time, their functions, and their names."""
import json
import os
import re
import tempfile
import unittest

from support import LATECOMER, MPIEXEC, run, scan

PROGRAM = os.environ["HELPER_THREADS"]
STEPS, MILLISECONDS = 10, 50


class HelperThreads(unittest.TestCase):
    def test_a_named_helper_is_the_cause(self):
        with tempfile.TemporaryDirectory() as scratch:
            experiment = os.path.join(scratch, "experiment")
            done = scan("--yield", "--sample", "1000", "-e", experiment, MPIEXEC, "-n", "2", PROGRAM, str(STEPS),
                        str(MILLISECONDS), cwd=scratch)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            printed = run(["otf2-print", "-G", os.path.join(experiment, "traces.otf2")])
            self.assertEqual((printed.returncode, printed.stderr), (0, ""))
            report = json.loads(run([LATECOMER, "json", experiment]).stdout)
            summary = json.loads(run([LATECOMER, "show", "--json", experiment]).stdout)
        # The threads of the steps share a location. The other one does not end.
        for name in (r"Thread [12] \(cruncher\) \(10 one after another\)", r"Thread [12] \(forever\)"):
            self.assertRegex(printed.stdout, r'(?m)^LOCATION +.*Name: "%s"' % name)
        self.assertEqual(summary["causes"][0]["thread"]["name"], "cruncher", summary["causes"][0])
        text = " ".join(done.stderr.split())
        self.assertRegex(text, r"cause: cruncher \(rank 0\) made others wait")
        self.assertRegex(text, r"thread [12] \(cruncher\) of rank 0 has (9|100)[0-9]? % of its part")
        self.assertRegex(text, r"cruncher \(thread [12] of rank 0, cruncher\) made other threads wait")
        if "without samples of the computation" in done.stderr:
            self.skipTest("skipped: the kernel refuses samples")
        self.assertRegex(text, r"computed longer for .* in crunch|had no core for")
        # crunch() reads the clock itself, which is less than a tenth of it.
        functions = {one["name"]: one for one in report["extras"]["computation"]["functions"]}
        processor = 1e-3 * functions["crunch"]["inclusive_samples"]
        self.assertGreater(processor, 0.8 * STEPS * MILLISECONDS * 1e-3)
        ranks = {one["location"] for one in report["extras"]["longer_computation"]}
        self.assertFalse(ranks & {0}, "the main thread only waits")


if __name__ == "__main__":
    unittest.main()
