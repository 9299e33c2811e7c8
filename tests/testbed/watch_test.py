#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scan --watch across hosts: agents of all hosts tell together what one agent would see. Agents that are killed, views with
a wrong key, and views that come and go change nothing for the program."""
import csv
import json
import os
import subprocess
import sys

from support import BUILD, TestbedTest, main, testbed

LATECOMER = os.path.join(BUILD, "bin", "latecomer")
STEPS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "watch_steps.py")
HOSTS = "a:1+1,b:1+1"  # four hosts with one rank each
SECONDS = 280


class Watch(TestbedTest):
    def setUp(self):
        super().setUp()
        self.experiment = os.path.join(self.directory, "experiment")

    def steps(self, case, steps=300):
        """What the steps of a case have found, while a program ran on four hosts."""
        done = testbed("--metahosts", HOSTS, "--", sys.executable, STEPS, case, self.experiment,
                       os.path.join(BUILD, "apps", "heat2d"), "--steps", str(steps), "--uneven", "2",
                       timeout=SECONDS, env=dict(os.environ, APP_WAITS_FOR_FILE=os.path.join(self.directory, "go")))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual(found["status"], 0, found["output"])
        self.assertIn("heat2d: ok", found["output"])
        self.assertEqual(found["view"], [0, ""])
        return found

    def test_all_hosts(self):
        """The statistics of four hosts are those of the trace of the same run, up to the error of the clocks."""
        found = self.steps("all_hosts")
        report = found["report"]
        self.assertEqual((report["ended"], report["partial"], report["size"]), (True, False, 4), found["output"])
        self.assertEqual([(one["rank"], one["node"]) for one in report["ranks"]],
                         [(0, "a-0"), (1, "a-1"), (2, "b-0"), (3, "b-1")])
        self.assertEqual(found["last"]["ranks"], report["ranks"])
        self.assertIn("watched 4 of 4 ranks", found["output"])
        self.assertNotIn("agents", found["left"])
        counts = report["counts"]
        self.assertEqual(counts["sends"], counts["receives"])
        self.assertEqual(counts["messages"], counts["sends"])
        self.assertEqual(counts["collectives_finished"], counts["collectives"])
        self.assertEqual(sum(rank["waiting_ns"] for rank in report["ranks"]), report["waiting_ns"])
        self.assertEqual(sum(rank["caused_ns"] for rank in report["ranks"]), report["waiting_ns"])
        self.assertEqual(sum(pair["ns"] for pair in report["node_pairs"]), report["waiting_ns"])
        left_out = {key for key, count in report["left_out"].items() if count}
        self.assertLessEqual(left_out, {"collectives_without_formula", "unsuccessful_polls", "receives_in_tests",
                                        "operations_on_windows_and_files"})
        self.compare(report)

    def compare(self, report):
        rows = subprocess.run([LATECOMER, "csv", self.experiment], capture_output=True, text=True, check=True).stdout.splitlines()
        after, while_running = {}, {}
        for row in csv.reader(line for line in rows if not line.startswith("#")):
            if row[0] in ("mpi_wait_nxn", "mpi_latesender", "mpi_barrier_wait"):
                after[row[0], int(row[4])] = after.get((row[0], int(row[4])), 0) + float(row[6])
        for rank in report["ranks"]:
            for metric, wait in rank["waits"].items():
                while_running[metric, rank["rank"]] = wait["ns"] / 1e9
        self.assertGreater(sum(after.values()), 0)
        operations = report["counts"]["messages"] + report["counts"]["collectives"]
        for key, seconds in after.items():
            # Each operation may differ by the error of two clocks, which is far below 50 us here.
            self.assertAlmostEqual(while_running[key], seconds, delta=0.02 * seconds + 50e-6 * operations, msg=str(key))

    def test_killed_agent(self):
        """The ranks of its host are named. The program, its output and its status stay as they are."""
        found = self.steps("killed")
        why = found["state"]["not_watched"][0]["why"]
        self.assertRegex(why, r"^no word from the agent of host [ab]-\d for 3 s$")
        self.assertIn(why, found["output"])
        self.assertTrue(found["report"]["partial"])
        self.assertTrue(found["report"]["not_watched"])

    def test_views(self):
        """Two at once, a late one, and one with the key of nobody."""
        found = self.steps("views")
        self.assertEqual(len(found["once"]["ranks"]), 4)
        self.assertEqual(found["last"], found["second"])
        self.assertTrue(found["last"]["ended"])
        self.assertEqual(found["mode"], 0o600)
        self.assertEqual([status for status, _ in found["refused"]], [3, 3])
        self.assertIn("refuses the key in", found["refused"][0][1])
        self.assertIn("others may read or change it", found["refused"][1][1])


if __name__ == "__main__":
    main()
