#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A run that was killed is partial, and its last calls count."""
import json
import os
import signal
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from support import SECONDS, Run, latecomer, processes_of  # noqa: E402

SECOND = 10**9
HANG = ("--steps", "3", "--uneven", "3600000")  # rank 0 computes for an hour in step 0


def rank_of(process):
    """The rank of a process, from the name of the log that it has mapped."""
    with open("/proc/%d/maps" % process, encoding="utf-8", errors="replace") as maps:
        return next(int(line.rsplit("/", 1)[1].split(".")[0]) for line in maps if "/records/" in line)


class Killed(unittest.TestCase):
    def read(self, run, name="watch.json"):
        with open(os.path.join(run.experiment, name), encoding="utf-8") as file:
            return json.load(file)

    def shown(self, run):
        done = latecomer("show", "--json", run.experiment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def until_it_hangs(self, run):
        """Three ranks wait for 2 s, which no record says."""
        with run.watching() as watching:
            return watching.until(lambda state: len(state["ranks"]) == 4 and
                                  min(one["waiting_now_ns"] or 0 for one in state["ranks"][1:]) > 2 * SECOND)

    def test_a_hang_that_was_ended(self):
        with Run("heat2d", *HANG, options=("--watch",)) as run:
            before = self.until_it_hangs(run)
            self.assertEqual([one["state"] for one in before["unfinished"]], ["outside", "in_call", "in_call", "in_call"])
            self.assertEqual({one["gone"] for one in before["unfinished"]}, {False})
            run.scan.send_signal(signal.SIGTERM)
            _, output = run.end()
            self.assertIn("scan: partial: rank 0 did not reach MPI_Finalize: in no MPI call for ", output)
            report = self.read(run)
            self.assertTrue(report["ended"])
            self.assertTrue(report["partial"])
            self.assertEqual([one["rank"] for one in report["unfinished"]], [0, 1, 2, 3])
            for one in report["unfinished"][1:]:
                self.assertTrue(one["gone"])
                self.assertGreater(one["for_ns"], 2 * SECOND)
                self.assertGreater(one["waiting_ns"], 2 * SECOND)
                self.assertGreater(report["ranks"][one["rank"]]["waiting_ns"], one["waiting_ns"] - 1)
            self.assertEqual(report["unfinished"][1]["metric"], "mpi_latesender")
            self.assertEqual(report["unfinished"][3]["metric"], "mpi_wait_nxn")
            for rank in report["ranks"]:
                self.assertGreater(rank["run_ns"], 2 * SECOND)
                self.assertLessEqual(rank["waiting_ns"], rank["run_ns"])
            shown = self.shown(run)
            self.assertTrue(shown["partial"])
            self.assertEqual(shown["run"]["duration"], report["run_ns"] / SECOND)
            self.assertAlmostEqual(shown["seconds"]["waiting"], report["waiting_ns"] / SECOND, places=6)
            self.assertAlmostEqual(shown["seconds"]["time"], sum(one["run_ns"] for one in report["ranks"]) / SECOND, places=6)
            self.assertEqual(sorted(rank for one in shown["endings"] for rank in one["ranks"]), [0, 1, 2, 3])
            # A run that is ended while it hangs is no good run, whatever the bound is.
            for bound in ("waiting>10%", "waiting>99%"):
                self.assertEqual(latecomer("check", run.experiment, "--fail", bound).returncode, 1)

    def test_profile_of_a_run_that_hangs(self):
        """Until now."""
        with Run("heat2d", *HANG, options=("-t",)) as run:
            self.until_it_hangs(run)
            file = run.path("now.json")
            self.assertEqual(run.watch("--once", "--quiet", "--report", file).returncode, 0)
            done = latecomer("profile", file, "-o", run.path("now.cubex"))
            self.assertEqual(done.returncode, 0, done.stderr)
            shown = json.loads(latecomer("show", "--json", run.path("now.cubex")).stdout)
            with open(file, encoding="utf-8") as f:
                report = json.load(f)
            self.assertFalse(report["ended"])
            # Finished waits have ended; the others go on on 3 ranks, for 2 s.
            self.assertGreater(shown["seconds"]["waiting"], report["waiting_ns"] / SECOND + 6)
            self.assertEqual(shown["run"]["duration"], report["until_ns"] / SECOND)
            self.assertEqual(shown["endings"], [])

    def test_a_rank_that_is_killed(self):
        """Also while the others go on: the launcher is stopped, so it does not end them."""
        with Run("heat2d", "--steps", "1000000", options=("--watch",)) as run, run.watching() as watching:
            watching.until(lambda state: len(state["ranks"]) == 4 and state["counts"]["messages"] > 0)
            victim = next(process for process in processes_of(run.experiment) if rank_of(process) == 2)
            stopped = [int(line) for line in subprocess.run(
                ["ps", "-o", "pid=", "--ppid", str(run.scan.pid)], capture_output=True, text=True, check=True).stdout.split()]
            launchers = stopped + [int(pid) for one in stopped for pid in subprocess.run(
                ["ps", "-o", "pid=", "--ppid", str(one)], capture_output=True, text=True, check=False).stdout.split()]
            for launcher in launchers:
                os.kill(launcher, signal.SIGSTOP)
            try:
                os.kill(victim, signal.SIGKILL)
                state = watching.until(lambda state: [one["rank"] for one in state["unfinished"] if one["gone"]] == [2])
                self.assertFalse(state["ended"])
                state = watching.until(lambda state: "gone" in [one["doing"] for one in state["now"]["late"]])
                self.assertEqual([one["rank"] for one in state["now"]["late"] if one["doing"] == "gone"], [2])
                text = run.watch("--once").stdout
                self.assertIn("\ngone: rank 2 in ", text)
                self.assertIn("late now: rank 2, whose process is gone; ", text)
            finally:
                for launcher in launchers:
                    os.kill(launcher, signal.SIGCONT)
            self.assertNotEqual(run.end()[0], 0)
            report = self.read(run)
            self.assertTrue(report["partial"])
            self.assertIn(2, [one["rank"] for one in report["unfinished"]])
            self.assertTrue(self.shown(run)["partial"])

    def test_first_look_at_a_run_that_is_dead(self):
        """It is not taken for a slow one."""
        with Run("heat2d", *HANG, options=("-t",)) as run:
            self.until_it_hangs(run)
            run.kill()
            run.scan.wait(timeout=SECONDS)
            for words in (["--once"], []):
                text = run.watch(*words).stdout.split("\n\n")[0]
                self.assertRegex(text, "^heat2d [^\n]* ended after ")
                self.assertIn("\nno MPI_Finalize: rank 0 in no MPI call", text)
                self.assertNotIn("late now", text)

    def test_runs_that_end_well_are_whole(self):
        for options in (["--watch"], ["-t", "--watch"]):
            with Run("heat2d", "--steps", "50", options=options) as run:
                status, output = run.end()
                self.assertEqual(status, 0, output)
                report = self.read(run)
                self.assertEqual((report["ended"], report["partial"], report["unfinished"]), (True, False, []))


if __name__ == "__main__":
    unittest.main(verbosity=2)
