#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Clocks of different machines in one run, through scan: the measurements, and the report that they
correct."""
import json
import os
import sys
import tarfile
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from launching import setting  # noqa: E402
from support import ANALYZER, LATECOMER, MPIEXEC, analyze, app, run, scan


class Clocks(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name
        self.experiment = os.path.join(scratch.name, "experiment")
        self.models = os.path.join(scratch.name, "clocks.txt")

    def record(self, models, *segments):
        """segments: (ranks, {variable without LATECOMER_: value}, program, arguments...)."""
        with open(self.models, "w") as f:
            f.write(models)
        words = []
        for number, (ranks, variables, *program) in enumerate(segments):
            words += ([":"] if number else []) + ["-n", str(ranks)]
            for name, value in variables.items():
                words += setting(MPIEXEC, "LATECOMER_" + name, value)
            words += program
        environment = {k: v for k, v in os.environ.items() if not k.startswith("LATECOMER_")}
        done = scan("--yield", "-e", self.experiment, MPIEXEC, *words,
                    env=dict(environment, LATECOMER_TIMER_EMULATION=self.models))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("error", done.stderr)
        self.assertNotIn("WRONG", done.stdout)

    def clocks(self):
        """{leader: clock} as measured."""
        found = json.loads(run([LATECOMER, "clocks", "--json", self.experiment]).stdout)["clocks"]
        return {clock["leader"]: clock for clock in found}

    def check_drift(self, clock, truth, unknown=0):
        """The measured drift is as close to the true one as the error bounds of its points
        promise.

        Bounds are wide if ranks have to share cores with other work, so no fixed number would do.
        """
        first, last = clock["points"][0], clock["points"][-1]
        bound = (first["error"] + last["error"]) / (last["at"] - first["at"])
        self.assertAlmostEqual(clock["drift"], truth, delta=bound + unknown)

    def check_report(self, leaders):
        """Checks that clocks that are seconds apart do no harm, and returns the summary as JSON."""
        with tarfile.open(os.path.join(self.experiment, "analysis.cubex")) as tar:
            clocks = json.load(tar.extractfile("latecomer.json"))["clocks"]
        self.assertEqual(clocks["count"], leaders)
        # Two clocks differ by at most their error bounds, which are wide on a busy machine.
        errors = sorted(max(point["error"] for point in clock["points"])
                        for clock in self.clocks().values() if clock["points"])
        promised = max(1e-3, sum(errors[-2:]))
        if clocks["steps"]:
            self.assertLess(clocks["steps"][0]["largest"], promised)
            self.assertEqual((clocks["steps"][-1]["messages"], clocks["steps"][-1]["collectives"]), (0, 0))
            self.assertLess(clocks.get("largest_shift", 0), promised)
        shown = json.loads(run([LATECOMER, "show", "--json", self.experiment]).stdout)
        self.assertEqual([note["name"] for note in shown["quality"] if note["name"].startswith("reversed")], [])
        self.assertLess(shown["run"]["duration"], 100)
        reports = []
        for processes in (1, 3):
            report = os.path.join(self.directory, "%d.cubex" % processes)
            self.assertEqual(analyze(self.experiment, processes, report).returncode, 0)
            with open(report, "rb") as f:
                reports.append(f.read())
        self.assertEqual(reports[0], reports[1])
        # Messages violate the clock condition by seconds without the measured offsets.
        report = os.path.join(self.directory, "none.cubex")
        done = run([ANALYZER, "-q", "--time-correction", "none", "-o", report, self.experiment])
        self.assertEqual(done.returncode, 0, done.stderr)
        with tarfile.open(report) as tar:
            uncorrected = json.load(tar.extractfile("latecomer.json"))["clocks"]["steps"][0]
        self.assertGreater(uncorrected["largest"], 1)
        return shown

    def seconds(self, shown, metric, *call_path):
        """Severity at `call_path` (the end of a path) in the summary."""
        state = [state for state in shown["wait_states"] if state["metric"] == metric][0]
        found = [path["seconds"] for path in state["call_paths"]
                 if tuple(path["call_path"][-len(call_path):]) == call_path]
        self.assertEqual(len(found), 1, (metric, call_path, state["call_paths"]))
        return found[0]

    def check_known_waits(self, shown):
        """Checks the waits of waitstates.c on four ranks; ranks that share cores wait more or less.
        Clocks are wrong by 7 s and more."""
        # Rank r comes 6 r ms late to a barrier: the others wait 18 + 12 + 6 ms.
        self.assertGreater(self.seconds(shown, "mpi_barrier_wait", "barrier_wait", "MPI_Barrier"), 0.005)
        self.assertLess(self.seconds(shown, "mpi_barrier_wait", "barrier_wait", "MPI_Barrier"), 3)
        # Messages make ranks wait 20 ms from rank 0 to 1, and 10 ms from rank 2 to 3.
        self.assertGreater(self.seconds(shown, "mpi_latesender", "late_sender", "MPI_Recv"), 0.005)
        self.assertLess(self.seconds(shown, "mpi_latesender", "late_sender", "MPI_Recv"), 3)

    def test_a_metahost_with_a_global_clock(self):
        program = app("waitstates")
        fzj = {"METAHOST_ID": "1", "METAHOST_NAME": "FZJ"}
        caesar = {"METAHOST_ID": "2", "METAHOST_NAME": "CAESAR", "METAHOST_GLOBAL_CLOCK": "1"}
        # The nodes of CAESAR have the clock of its leader; the file's model of n3 is not used.
        self.record("n0\nn1 offset=-20s drift=-20ppm\nn2 offset=50s drift=30ppm\nn3 offset=3s\n",
                    (1, dict(fzj, NODE="n0"), program), (1, dict(fzj, NODE="n1"), program),
                    (1, dict(caesar, NODE="n2"), program), (1, dict(caesar, NODE="n3"), program))
        clocks = self.clocks()
        self.assertEqual({leader: clock["ranks"] for leader, clock in clocks.items()},
                         {0: [0], 1: [1], 2: [2, 3]})
        self.assertEqual(clocks[2]["metahost"], "CAESAR")
        self.assertEqual([len(clocks[leader]["points"]) for leader in (0, 1, 2)], [0, 2, 2])
        self.assertAlmostEqual(clocks[1]["points"][0]["offset"], 20, delta=0.5)
        shown = self.check_report(3)
        self.check_known_waits(shown)
        self.assertEqual(shown["run"]["nodes"], 4)

    def test_two_executables(self):
        self.record("a\nb offset=-7s drift=25ppm\n",
                    (2, {"NODE": "a"}, app("heat2d_nodebug"), "--steps", "40"),
                    (2, {"NODE": "b"}, app("heat2d_instrumented"), "--steps", "40"))
        clocks = self.clocks()
        self.assertEqual(clocks[2]["ranks"], [2, 3])
        self.assertAlmostEqual(clocks[2]["points"][0]["offset"], 7, delta=0.5)
        self.check_drift(clocks[2], -25e-6)
        shown = self.check_report(2)
        # One of them has all functions; in the other one, only main is not inlined.
        paths = {tuple(path["call_path"][1:]) for state in shown["wait_states"] for path in state["call_paths"]}
        self.assertIn(("main", "MPI_Allreduce"), paths)
        self.assertIn(("main", "residual", "MPI_Allreduce"), paths)

    def test_metahosts_with_different_timer_rates(self):
        # The time stamp counter has the rate of the processor; the other timer counts nanoseconds.
        program = app("waitstates")
        self.record("a\nb offset=-7s drift=25ppm\n",
                    (2, {"NODE": "a", "METAHOST_ID": "1", "METAHOST_NAME": "FZJ", "TIMER": "tsc"}, program),
                    (2, {"NODE": "b", "METAHOST_ID": "2", "METAHOST_NAME": "CAESAR", "TIMER": "realtime"}, program))
        clocks = self.clocks()
        self.assertEqual({leader: clock["ranks"] for leader, clock in clocks.items()}, {0: [0, 1], 2: [2, 3]})
        # Real rates differ by less than these.
        self.check_drift(clocks[2], -25e-6, 200e-6)
        shown = self.check_report(2)
        self.check_known_waits(shown)
        self.assertEqual(shown["run"]["metahosts"], ["FZJ", "CAESAR"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
