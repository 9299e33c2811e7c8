#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scan across two metahosts: the archive knows both, the report says which waits for which."""
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
    def test_two_metahosts(self):
        experiment = os.path.join(self.directory, "experiment")
        # The flow model on juelich works longer than the particles on bonn, which wait in the barrier.
        done = testbed("--metahosts", "juelich:1+1,bonn:2", "--latency", "500us", "--jitter", "5us", "--",
                       sys.executable, SCAN, "-e", experiment, MPIEXEC, "-n", "4",
                       os.path.join(BUILD, "apps", "coupled"), "--flow-ms", "10", "--field", "1000")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("coupled: ok", done.stdout)
        self.assertNotIn("warning", done.stderr)
        self.assertIn("3 nodes, 2 metahosts", done.stderr)
        self.assertIn("bonn waits for juelich", done.stderr)

        processes = latecomer("info", "--json", experiment)["processes"]
        self.assertEqual([(p["metahost"], p["node"]) for p in processes],
                         [("juelich", "juelich-0"), ("juelich", "juelich-1"),
                          ("bonn", "bonn-0"), ("bonn", "bonn-0")])
        # 3 cycles of 40 ms of flow against 4 ms of particles: two ranks wait for 36 ms in each.
        pairs = latecomer("show", "--json", experiment)["metahost_pairs"]
        waiting = sum(entry["seconds"] for entry in pairs
                      if (entry["pair"], entry["wait_state"]) == ("bonn <- juelich", "Grid Wait at Barrier"))
        self.assertGreater(waiting, 3 * 2 * 0.036 * 0.9)


if __name__ == "__main__":
    main()
