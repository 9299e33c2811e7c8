#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counters in the computation: page faults and processor time everywhere, instructions where the machine counts them."""
import csv
import glob
import os
import tempfile
import unittest

from support import LATECOMER, MPIEXEC, run, scan

TOUCHING, FORBID, BUILD = (os.environ[name] for name in ("TOUCHING", "FORBID", "BUILD"))
STEPS, PAGES = 20, 500


class Counters(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.experiment = os.path.join(scratch.name, "experiment")

    def record(self, *mode, counters="page-faults", options=()):
        done = scan("--yield", "--counters", counters, *options, "-e", self.experiment, MPIEXEC, "-n", "2", TOUCHING,
                    str(STEPS), str(PAGES), *mode)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def counted(self, metric):
        """{(rank, function): value}"""
        lines = run([LATECOMER, "csv", self.experiment]).stdout.splitlines()
        found = {}
        for row in csv.DictReader(line for line in lines if not line.startswith("#")):
            if row["metric"] == metric:
                key = int(row["rank"]), row["call_path"].split("/")[-1]
                found[key] = found.get(key, 0) + float(row["value"])
        return found

    def check_faults(self):
        faults = self.counted("counter_page_faults")
        # The program, MPI and the measurement fault now and then, too.
        self.assertGreaterEqual(faults[0, "step"], STEPS * PAGES)
        self.assertLess(faults[0, "step"], STEPS * PAGES * 1.1)
        self.assertLess(faults.get((1, "step"), 0), STEPS * PAGES * 0.1)

    def test_page_faults_are_at_the_function_that_has_them(self):
        self.record(counters="page-faults,task-clock")
        self.check_faults()
        self.assertGreater(self.counted("counter_task_clock")[0, "step"], 1e-4)
        printed = run(["otf2-print", "-G", os.path.join(self.experiment, "traces.otf2")])
        self.assertEqual(printed.returncode, 0, printed.stderr)
        self.assertRegex(printed.stdout, r'METRIC_MEMBER .*Name: "page-faults".*RUSAGE.*ACCUMULATED_START.*Unit: "#"')

    def test_children_and_other_threads_count_for_themselves(self):
        for mode in ("fork", "vfork", "thread"):
            with self.subTest(mode):
                self.record(mode, options=("--overwrite",))
                self.check_faults()

    def test_the_program_does_not_notice(self):
        for mode in ((), ("fork",)):
            outputs = [sorted(self.record(*mode, counters=counters, options=("--overwrite",)).stdout.splitlines())
                       for counters in ("off", "page-faults,context-switches,task-clock")]
            self.assertEqual(*outputs)

    def test_hardware_counters(self):
        done = scan("--counters", "default", "-e", self.experiment, MPIEXEC, "-n", "2", TOUCHING, str(STEPS), str(PAGES))
        if done.returncode == 2:
            self.assertIn("counter instructions: ", done.stderr)
            self.assertIn("--counters page-faults", done.stderr)
            self.assertFalse(os.path.exists(self.experiment))
            return
        self.assertEqual(done.returncode, 0, done.stderr)
        # A page takes a few instructions outside of the kernel.
        instructions = self.counted("counter_instructions")[0, "step"]
        self.assertGreater(instructions, 2 * STEPS * PAGES)
        self.assertLess(instructions, 1000 * STEPS * PAGES)
        self.assertGreater(self.counted("counter_cycles")[0, "step"], 0)

    def test_a_kernel_that_refuses(self):
        """The program runs elsewhere than scan, so only the measurement library finds out."""
        library = glob.glob(os.path.join(BUILD, "lib*", "**", "liblatecomer.so"), recursive=True)[0]
        done = run([MPIEXEC, "-n", "2", "env", "LD_PRELOAD=" + library, "LATECOMER_COUNTERS=instructions",
                    "LATECOMER_EXPERIMENT_DIRECTORY=" + self.experiment, FORBID, TOUCHING, "3", "5"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("rank 1: ", done.stdout)
        text = " ".join(scan("-a", self.experiment).stderr.split())
        self.assertIn("2 processes without the counters that were asked for: the kernel refuses them: Operation not "
                      "permitted", text)


if __name__ == "__main__":
    unittest.main()
