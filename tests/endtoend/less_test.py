#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Recording less: unrecorded operations are counted, so that the rest is matched as it was sent."""
import json
import os
import re
import tempfile
import unittest

from support import BUILD, LATECOMER, MPIEXEC, analyze, quality, run, scan

LESS = os.environ["LESS"]


class Less(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.experiment = os.path.join(scratch.name, "experiment")
        self.report = os.path.join(scratch.name, "again.cubex")

    def record(self, mode, ranks, *options):
        done = scan("--yield", *options, "-e", self.experiment, MPIEXEC, "-n", str(ranks), LESS, mode,
                    cwd=os.path.dirname(self.experiment))
        self.assertEqual(done.stdout, "done\n", done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        clean = run(["otf2-print", "-A", "--silent", self.file("traces.otf2")])
        self.assertEqual((clean.returncode, clean.stderr), (0, ""))
        return done.stderr

    def file(self, name):
        return os.path.join(self.experiment, name)

    def shown(self):
        """Counts of data quality, and the whole summary; both are the same for every number of
        processes."""
        reports = set()
        for processes in (1, 2, 3):
            done = analyze(self.experiment, processes, self.report)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(self.report, "rb") as file:
                reports.add(file.read())
        self.assertEqual(len(reports), 1)
        shown = json.loads(run([LATECOMER, "show", "--json", self.experiment]).stdout)
        return quality(shown), shown

    def events(self):
        """{rank: [(seconds, record, region)]}"""
        found = {}
        for kind, rank, time, rest in re.findall(
                r"^([A-Z_]+) +(\d+) +(\d+) *(.*)$", run(["otf2-print", self.file("traces.otf2")]).stdout, re.M):
            found.setdefault(int(rank), []).append((int(time) / 1e9, kind, rest))
        return found

    def test_pcontrol(self):
        self.record("pcontrol", 3)
        quality, shown = self.shown()
        # Steps recorded on one side only, per pair of neighbors: their number at each edge is that
        # by which the ranks differ.
        edges = (1 + 3) + (1 + 3) + (2 + 6)
        # These are steps 20 (ranks 1 and 2 record), 60 (rank 0) and 65 (ranks 0 and 1).
        self.assertEqual(quality, {"recording_pauses": 3, "edge_messages": edges, "edge_collectives": 5})
        # The 150 ms at step 40 are unseen. Those of step 90 are a wait of rank 1 for rank 0.
        waits = {w["metric"]: w["seconds"] for w in shown["wait_states"]}
        self.assertGreater(waits["mpi_latesender"], 0.03)

    def test_operations_that_are_under_way(self):
        for ranks in (2, 3, 5):
            with self.subTest(ranks):
                self.record("requests", ranks, "--overwrite")
                quality, _ = self.shown()
                self.assertEqual(set(quality) - {"recording_pauses", "edge_messages", "edge_collectives"},
                                 set(), quality)
                self.assertGreater(quality["edge_messages"], 0)
                self.assertGreater(quality["edge_collectives"], 0)

    def test_ranks(self):
        self.record("pcontrol", 4, "--ranks", "0-1,3")
        quality, _ = self.shown()
        self.assertNotIn("unmatched_sends", quality)
        events = self.events()
        regions = {rank: {rest for _, kind, rest in rows if kind == "ENTER"} for rank, rows in events.items()}
        calls = {rank: sorted(re.findall(r"MPI_\w+", " ".join(names))) for rank, names in regions.items()}
        self.assertEqual(calls[2], ["MPI_Finalize", "MPI_Init"])
        # Time that was not recorded is not computation, and there are no efficiencies.
        shown = json.loads(run([LATECOMER, "show", "--json", self.experiment]).stdout)
        self.assertGreater(shown["seconds"]["unrecorded"], 0.05)
        self.assertIsNone(shown["efficiency"])
        self.assertIn("  not recorded ", run([LATECOMER, "show", self.experiment]).stdout)
        self.assertIn("MPI_Send", calls[3])

    def test_window(self):
        self.record("long", 2, "--from", "1s", "--for", "1s")
        quality, _ = self.shown()
        self.assertEqual(quality["recording_pauses"], 4)
        for rows in self.events().values():
            start = next(time for time, kind, rest in rows if kind == "LEAVE" and "MPI_Init" in rest)
            times = [time - start for time, kind, rest in rows if kind == "ENTER" and "MPI_Send" in rest]
            self.assertGreater(len(times), 10)
            self.assertGreater(times[0], 0.9)
            self.assertLess(times[-1], 2.5)

    def filter(self, rules):
        path = os.path.join(os.path.dirname(self.experiment), "filter")
        with open(path, "w") as file:
            file.write("SCOREP_REGION_NAMES_BEGIN\n%s\nSCOREP_REGION_NAMES_END\n" % rules)
        return path

    def test_functions_left_out(self):
        """Any calls are left out; the others are matched as they were sent."""
        allowed = {"functions_left_out", "recording_pauses", "edge_messages", "edge_collectives"}
        for rules in ("EXCLUDE MPI_Isend MPI_Wait", "EXCLUDE MPI_Irecv MPI_Sendrecv", "EXCLUDE MPI_Waitall",
                      "EXCLUDE MPI_Iallreduce MPI_Start*", "EXCLUDE MPI_Comm_dup MPI_Comm_free MPI_Wait*",
                      "EXCLUDE MPI:point2point", "EXCLUDE MPI:collective", "EXCLUDE MPI_*"):
            for mode in ("requests", "pcontrol", "all"):
                with self.subTest("%s, %s" % (rules, mode)):
                    self.record(mode, 3, "--overwrite", "-f", self.filter(rules))
                    quality, shown = self.shown()
                    self.assertEqual(set(quality) - allowed, set(), quality)
                    self.assertGreater(quality["functions_left_out"], 0)
                    self.assertIsNone(shown["efficiency"])
                    called = {name for rows in self.events().values() for _, kind, rest in rows
                              if kind == "ENTER" for name in re.findall(r"MPI_\w+", rest)}
                    for name in re.findall(r"MPI_[a-zA-Z]+(?![a-zA-Z*])", rules):
                        self.assertNotIn(name, called)

    def test_filter_unmatched(self):
        """A filter for regions that the program does not have, or for a program without regions."""
        for mode, rules, count in (("all", "EXCLUDE halo*", 1), ("all", r"EXCLUDE time\ step", 0), ("all", "INCLUDE halo*", 0),
                                   ("files", "EXCLUDE *", 1)):
            with self.subTest(rules):
                self.record(mode, 2, "--overwrite", "-f", self.filter(rules))
                found = [q["text"] for q in self.shown()[1]["quality"] if q["name"] == "filter_unmatched"]
                self.assertEqual(len(found), count, found)

    def test_one_side_left_out(self):
        """Sends are left out: their receives are recorded and counted."""
        self.record("all", 3, "-f", self.filter("EXCLUDE MPI_Send"))
        quality, shown = self.shown()
        self.assertEqual(quality, {"functions_left_out": 1, "edge_messages": 300})
        self.assertNotIn("mpi_latesender", {w["metric"] for w in shown["wait_states"]})

    def test_local_calls_left_out(self):
        self.record("all", 2, "-f", self.filter("EXCLUDE MPI:local MPI:tests"))
        quality, shown = self.shown()
        self.assertEqual(set(quality), {"functions_left_out"})
        self.record("all", 2, "--overwrite", "-f", self.filter("EXCLUDE MPI:local"))
        _, shown = self.shown()
        self.assertIsNotNone(shown["efficiency"])  # nothing is missing that waits
        self.assertNotIn("MPI_Comm_rank", run(["otf2-print", self.file("traces.otf2")]).stdout.split("Events")[-1])

    def test_filter_with_a_slip(self):
        path = self.filter("EXCLUDE MPI_Isned")
        done = scan("-f", path, "-e", self.experiment, MPIEXEC, "-n", "2", LESS)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("filter %s:2: 'MPI_Isned' names no MPI function" % path, done.stderr)

    def test_one_sided(self):
        """Epochs are paired as they were, however different the recorded parts of the processes
        are."""
        self.record("one-sided", 4)
        quality, shown = self.shown()
        # The number of epochs is that of steps that only one side records. Unseen are 40 + 2 r
        # steps of rank r with two transfers and a lock.
        edges = 3 * (1 + 3) + (3 + 9)
        self.assertEqual(quality, {"recording_pauses": 4, "edge_epochs": edges, "edge_collectives": 6,
                                   "unseen_one_sided": 3 * (40 + 42 + 44 + 46)})
        # The post of step 90 was 150 ms late.
        late = sum(w["seconds"] for w in shown["wait_states"] if w["metric"].endswith("late_post"))
        self.assertGreater(late, 0.03)
        metrics = json.loads(run([LATECOMER, "show", "--json", "--by", "metric", self.experiment]).stdout)
        self.assertNotIn("mpi_rma_late_complete", json.dumps(metrics))

    def test_files(self):
        """Collective calls on a file are paired as they were made."""
        self.record("files", 3)
        quality, shown = self.shown()
        # Three calls per step, for those of steps 20, 21, 60 to 65 that only some ranks record.
        edges = 3 * (2 + 1 + 1 + 1 + 1 + 2 + 2 + 2)
        self.assertEqual(quality, {"recording_pauses": 3, "edge_collectives": edges})
        # Two ranks wait 150 ms in step 90.
        waits = {w["metric"]: w["seconds"] for w in shown["wait_states"]}
        self.assertGreater(waits["mpi_io_collective_wait"], 0.06)

    def test_files_left_out(self):
        for rules in ("EXCLUDE MPI_File_write_at_all", "EXCLUDE MPI_File_write_at_all_end", "EXCLUDE MPI_File_open"):
            with self.subTest(rules):
                self.record("files", 3, "--overwrite", "-f", self.filter(rules))
                quality, _ = self.shown()
                self.assertEqual(set(quality) - {"functions_left_out", "recording_pauses", "edge_collectives"},
                                 set(), quality)

    def test_one_sided_left_out(self):
        allowed = {"functions_left_out", "edge_epochs", "unseen_one_sided", "edge_collectives", "recording_pauses"}
        for rules in ("EXCLUDE MPI_Put", "EXCLUDE MPI_Win_start", "EXCLUDE MPI_Win_complete", "EXCLUDE MPI_Win_post",
                      "EXCLUDE MPI_Win_lock", "EXCLUDE MPI_Win_unlock MPI_Win_wait", "EXCLUDE MPI:one-sided"):
            with self.subTest(rules):
                self.record("one-sided", 4, "--overwrite", "-f", self.filter(rules))
                quality, _ = self.shown()
                self.assertEqual(set(quality) - allowed, set(), quality)
                if rules == "EXCLUDE MPI_Put":
                    self.assertGreater(quality["unseen_one_sided"], 600)
                if rules == "EXCLUDE MPI_Win_start":
                    self.assertGreater(quality["edge_epochs"], 100)

    def test_iterations(self):
        """Steps 31 to 40 of 100, counted by each process separately. Each step has a send and a
        receive, every fifth a reduction."""
        self.record("all", 3, "--iterations", "time step:31-40")
        quality, _ = self.shown()
        self.assertEqual(quality["recording_pauses"], 6)
        self.assertEqual(set(quality), {"recording_pauses"})
        for rows in self.events().values():
            for region, visits in (("time step", 10), ("MPI_Send", 10), ("MPI_Allreduce", 2)):
                found = [rest for _, kind, rest in rows if kind == "ENTER" and '"%s"' % region in rest]
                self.assertEqual(len(found), visits, region)

    def test_iterations_of_a_function(self):
        """Functions of an instrumented program get their names while it runs; a filter does not
        matter."""
        heat = os.path.join(BUILD, "apps", "heat2d_instrumented")
        for options, visits in ((("--iterations", "exchange:5"), 1),
                                (("--iterations", "exchange:3-4", "-f", self.filter("EXCLUDE exchange")), 2)):
            done = scan("--yield", "--overwrite", *options, "-e", self.experiment, MPIEXEC, "-n", "2", heat, "--steps", "20")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("filter for functions", done.stderr)  # it met one
            for rows in self.events().values():
                entered = [rest for _, kind, rest in rows if kind == "ENTER" and '"exchange"' in rest]
                self.assertEqual(len(entered), visits)

    def test_iterations_that_never_come(self):
        self.assertIn("region 'time step' was visited 100 times, recording was to begin at visit 101 "
                      "(--iterations time step:101)", self.record("all", 2, "--iterations", "time step:101"))
        self.assertIn("the program has no region 'tme step' (--iterations tme step:1)",
                      self.record("all", 2, "--overwrite", "--iterations", "tme step:1"))

    def test_largest_size(self):
        errors = self.record("many", 2, "--max-size", "64K", "--buffer-size", "4K")
        self.assertIn("recording was stopped on 2 of 2 processes", errors)
        quality, _ = self.shown()
        self.assertEqual(quality["recording_pauses"], 2)
        size = sum(os.path.getsize(os.path.join(self.file("traces"), name))
                   for name in os.listdir(self.file("traces")))
        self.assertLess(size, 2 * 64 * 1024)

    def test_window_that_never_opens(self):
        self.assertIn("the program ended before recording was to begin, 1h after MPI_Init",
                      self.record("pcontrol", 2, "--from", "1h"))

    def test_refused(self):
        for options, what in ((["--ranks", "0,4"], "--ranks 0,4 names rank 4, the run has 2 processes"),
                              (["--ranks", "3-1"], "--ranks 3-1 is not understood"),
                              (["--ranks", "0,,1"], "--ranks 0,,1 is not understood"),
                              (["--iterations", "step"], "--iterations step is not understood"),
                              (["--iterations", "step:5-4"], "--iterations step:5-4 is not understood"),
                              (["--iterations", "step:0"], "--iterations step:0 is not understood"),
                              (["--for", "0s"], "--for 0s leaves nothing to be recorded"),
                              (["--from", "soon"], "--from soon is not understood")):
            done = scan(*options, "-e", self.experiment, MPIEXEC, "-n", "2", LESS)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("error: " + what, done.stderr)
            self.assertFalse(os.path.exists(self.experiment))

    def test_refused_by_the_run(self):
        library = os.path.join(BUILD, "lib", "liblatecomer.so")
        done = run([MPIEXEC, "-n", "2", "env", "LD_PRELOAD=" + library, "LATECOMER_RANKS=0,4",
                    "LATECOMER_EXPERIMENT_DIRECTORY=" + self.experiment, LESS])
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("LATECOMER_RANKS=0,4 names rank 4, the run has 2 processes", done.stderr)


if __name__ == "__main__":
    unittest.main()
