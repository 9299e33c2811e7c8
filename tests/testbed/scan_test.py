#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scan across metahosts: the archive has the metahosts, and the report shows which waits for
which. Also without a common file system, and with clocks that differ."""
import json
import os
import subprocess
import sys

from support import BUILD, MPIEXEC, SCAN, TestbedTest, main, testbed

LATECOMER = os.path.join(BUILD, "bin", "latecomer")


def latecomer(*words):
    return json.loads(subprocess.run((LATECOMER,) + words, capture_output=True, text=True,
                                     check=True).stdout)


class Scan(TestbedTest):
    def setUp(self):
        super().setUp()
        self.experiment = os.path.join(self.directory, "experiment")

    def scan(self, *options, metahosts="juelich:1+1,bonn:2", app=("coupled", "--flow-ms", "10", "--field", "1000")):
        """Records four ranks and returns scan's output, which has the summary and no warning."""
        done = testbed("--metahosts", metahosts, "--latency", "500us", "--jitter", "5us", *options, "--",
                       sys.executable, SCAN, "-e", self.experiment, MPIEXEC, "-n", "4",
                       os.path.join(BUILD, "apps", app[0]), *app[1:])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(app[0] + ": ok", done.stdout)
        self.assertNotIn("warning", done.stderr)
        return done.stderr

    def check_waits(self, experiment):
        """The flow model on juelich works longer than the particles on bonn, which wait in the
        barrier. 3 cycles of 40 ms of flow against 4 ms of particles are 36 ms for two ranks in
        each."""
        pairs = latecomer("show", "--json", experiment)["metahost_pairs"]
        waiting = sum(entry["seconds"] for entry in pairs
                      if (entry["pair"], entry["wait_state"]) == ("bonn <- juelich", "Grid Wait at Barrier"))
        # A busy machine may take some of it.
        self.assertGreater(waiting, 3 * 2 * 0.036 * 0.3)

    def test_two_metahosts(self):
        printed = self.scan()
        self.assertIn("3 nodes, 2 metahosts", printed)
        self.assertIn("bonn waits for juelich", printed)
        processes = latecomer("info", "--json", self.experiment)["processes"]
        self.assertEqual([(p["metahost"], p["node"]) for p in processes],
                         [("juelich", "juelich-0"), ("juelich", "juelich-1"),
                          ("bonn", "bonn-0"), ("bonn", "bonn-0")])
        self.check_waits(self.experiment)

    def test_no_common_file_system(self):
        """Each metahost has event files of its own ranks only, and the analysis needs no others."""
        self.scan("--own-file-systems", self.directory)
        self.assertFalse(os.path.exists(self.experiment))
        parts = [os.path.join(self.directory, name, "experiment") for name in ("juelich", "bonn")]
        files = [{name for name in os.listdir(os.path.join(part, "traces")) if name.endswith(".evt")}
                 for part in parts]
        self.assertEqual(files, [{"0.evt", "1.evt"}, {"2.evt", "3.evt"}])
        reports = [os.path.exists(os.path.join(part, "analysis.cubex")) for part in parts]
        self.assertEqual(reports, [True, False])
        self.check_waits(parts[0])

    def test_shifted_clocks(self):
        """CLOCK_MONOTONIC of bonn is 100 s ahead. This is measured and removed from the waiting
        times."""
        self.scan("--shift", "bonn=100s")
        offsets = {process["metahost"]: process["locations"][0]["first_offset"]
                   for process in latecomer("info", "--json", self.experiment)["processes"]}
        self.assertLess(abs(offsets["juelich"]), 0.5)
        self.assertLess(abs(offsets["bonn"] + 100), 0.5)
        self.check_waits(self.experiment)

    def test_emulated_clocks(self):
        clocks = self.file("clocks", "bonn-0 offset=3s drift=20ppm\n")
        self.scan("--clocks", clocks, metahosts="juelich:2,bonn:2")
        bonn = latecomer("info", "--json", self.experiment)["processes"][2]["locations"][0]
        self.assertLess(abs(bonn["first_offset"] + 3), 0.5)
        self.check_waits(self.experiment)


if __name__ == "__main__":
    main()
