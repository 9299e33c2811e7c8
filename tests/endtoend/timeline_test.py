#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""latecomer timeline: a trace that Perfetto can read, with the messages, waits and times of the report."""
import json
import os
import re
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from launching import setting  # noqa: E402
from perfetto_file import Trace, Wrong
from reference import archive_of  # noqa: E402
from support import ANALYZER, LATECOMER, MPIEXEC, app, run, scan

NANO = 1e9


class Timeline(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.experiment = cls.path("heat")
        done = scan("--yield", "-e", cls.experiment, MPIEXEC, "-n", "3", app("heat2d"), "--steps", "30", "--uneven", "10")
        assert done.returncode == 0, done.stderr
        cls.said = cls.made("heat", cls.experiment)
        cls.trace = Trace(cls.path("heat.pftrace"))
        cls.totals = cls.totals_of(cls.experiment)

    @classmethod
    def path(cls, name):
        return os.path.join(cls.scratch.name, name)

    @classmethod
    def made(cls, name, experiment, *words):
        done = run([LATECOMER, "timeline", experiment, "-o", cls.path(name + ".pftrace"), *words])
        assert done.returncode == 0, done.stderr
        return done.stdout

    @staticmethod
    def totals_of(experiment):
        totals = {}
        for row in json.loads(run([LATECOMER, "json", experiment]).stdout)["values"]:
            totals[row["metric"]] = totals.get(row["metric"], 0) + sum(row["values"])
        return totals

    def waiting(self, trace):
        """Seconds of waiting by metric."""
        waits = {}
        for one in trace.slices:
            if "metric" in one.notes:
                metric = one.notes["metric"]
                waits[metric] = waits.get(metric, 0) + (one.end - one.begin) / NANO
        return waits

    def test_one_process_per_rank_in_order(self):
        names = [self.trace.processes[pid] for pid in sorted(self.trace.processes)]
        self.assertEqual([name.split(" (")[0] for name in names], ["rank 0", "rank 1", "rank 2"])
        self.assertTrue(all(re.fullmatch(r"rank \d \(.+\)", name) for name in names), names)
        self.assertEqual([self.trace.rank_of(track) for track in self.trace.threads], [0, 1, 2])

    def test_slices_are_the_calls(self):
        calls = [one for one in self.trace.slices if one.track in self.trace.threads]
        self.assertEqual(len(calls), self.totals["visits"])
        self.assertRegex(self.said, r"\b%d calls\b" % len(calls))
        times = {}
        for one in calls:
            times[one.name] = times.get(one.name, 0) + one.end - one.begin
        rows = json.loads(run([LATECOMER, "show", "--metric", "time", "--json", self.experiment]).stdout)["rows"]
        report = {}
        for row in rows:
            report[row["call_path"][-1]] = report.get(row["call_path"][-1], 0) + row["values"][0]
        for name in ("heat2d", "MPI_Waitall", "MPI_Init", "residual"):
            self.assertAlmostEqual(times[name] / NANO, report[name], 7, name)

    def test_samples_are_in_the_computation(self):
        sampled = [one for one in self.trace.slices if "samples" in one.notes]
        computation = json.loads(run([LATECOMER, "json", self.experiment]).stdout)["extras"]["computation"]
        self.assertGreater(len(sampled), 3)
        self.assertLessEqual(sum(one.notes["samples"] for one in sampled), computation["samples"])
        self.assertTrue({one.name for one in sampled} & {"heat2d", "main", "refine", "step", "residual"}, sampled)
        calls = [one for one in self.trace.slices
                 if one.track in self.trace.threads and one.name.startswith("MPI_")]
        for one in sampled:
            rank = self.trace.rank_of(one.track)
            inside = [call.name for call in calls if self.trace.rank_of(call.track) == rank
                      and call.begin < one.end and one.begin < call.end]
            self.assertEqual(inside, [], one)

    def test_arrows_are_the_matched_messages(self):
        self.assertEqual(len(self.trace.arrows), self.totals["comms_recv"])
        self.assertGreater(len(self.trace.arrows), 100)
        sent = inside = 0
        for send, receive in self.trace.arrows:
            self.assertEqual((send.name, receive.name), ("send", "receive"))
            self.assertLessEqual(send.time, receive.time)
            self.assertEqual(self.trace.rank_of(send.track), receive.notes["from rank"])
            self.assertEqual(self.trace.rank_of(receive.track), send.notes["to rank"])
            self.assertEqual(receive.inside, "MPI_Waitall")
            inside += send.inside == "MPI_Isend"  # no part of it if the call took no time at all
            sent += send.notes["bytes"]
        self.assertGreater(inside, 0.8 * len(self.trace.arrows))
        self.assertEqual(sent, self.totals["bytes_sent"])

    def test_waits_are_those_of_the_report(self):
        waits = self.waiting(self.trace)
        self.assertGreater(len(waits), 1)
        for metric, seconds in waits.items():
            self.assertAlmostEqual(seconds, self.totals[metric], 7, metric)
        # Rank 0 computes 10 ms longer in each step, so rank 1 waits for its messages: more than 1
        # ms in many steps. Waits are counted, as a process that gets no core for a while makes a
        # single long one.
        by_cause = {}
        for one in self.trace.slices:
            if one.notes.get("metric") == "mpi_latesender":
                cause = one.notes["caused by rank"]
                self.assertEqual(one.name, "Late Sender: rank %d" % cause)
                self.assertEqual(one.notes["call"], "MPI_Waitall")
                pair = (self.trace.rank_of(one.track), cause)
                by_cause[pair] = by_cause.get(pair, 0) + (one.end - one.begin > 1e6)
        self.assertEqual(max(by_cause, key=by_cause.get), (1, 0), by_cause)
        self.assertGreater(by_cause[1, 0], 10, by_cause)

    def test_window_and_ranks(self):
        end = max(one.end for one in self.trace.slices)
        first, last = end * 6 // 10, end * 9 // 10
        words = ("--from", "%dns" % first, "--to", "%dns" % last)
        self.made("window", self.experiment, *words)
        window = Trace(self.path("window.pftrace"))
        for one in window.slices:
            self.assertTrue(first <= one.begin <= one.end <= last, one)
        wanted = [(a, b) for a, b in self.trace.arrows if a.time >= first and b.time <= last]
        self.assertEqual(len(window.arrows), len(wanted))
        self.assertGreater(len(wanted), 0)
        whole = [one for one in self.trace.slices if one.begin < last and one.end > first]
        names = {one.name for one in window.slices if one.track in window.threads}
        self.assertEqual(names, {one.name for one in whole if one.track in self.trace.threads})
        for track in window.threads:  # the program region fills the window
            self.assertIn((first, last), [(one.begin, one.end) for one in window.slices if one.track == track])

        self.made("ranks", self.experiment, "--ranks", "0,2-9")
        ranks = Trace(self.path("ranks.pftrace"))
        self.assertEqual(sorted(ranks.processes), [1, 3])
        self.assertEqual(len(ranks.arrows), 0)  # only neighbors communicate: all messages are from or to rank 1

    def test_the_same_for_every_number_of_processes(self):
        with open(self.path("heat.pftrace"), "rb") as file:
            expected = file.read()
        for number in ("2", "3"):
            name = self.path("%s.pftrace" % number)
            done = run([MPIEXEC, "-n", number, ANALYZER, "-q", "--timeline", name, self.experiment])
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
            with open(name, "rb") as file:
                self.assertEqual(file.read(), expected)

    def test_the_report_stays(self):
        before = os.stat(os.path.join(self.experiment, "analysis.cubex")).st_mtime_ns
        self.made("stays", self.experiment)
        self.assertEqual(os.stat(os.path.join(self.experiment, "analysis.cubex")).st_mtime_ns, before)

    def test_archives_of_other_tools(self):
        for name in ("npb-cg-S", "waitstates"):
            archive = archive_of(name, self.scratch.name)
            report = self.path(name + ".cubex")
            self.assertEqual(run([MPIEXEC, "-n", "2", ANALYZER, "-q", "-o", report, archive]).returncode, 0)
            self.made(name, archive)
            trace, totals = Trace(self.path(name + ".pftrace")), self.totals_of(report)
            # Messages without content count as synchronization.
            self.assertEqual(len(trace.arrows), totals["comms_recv"] + totals.get("syncs_recv", 0))
            calls = [one for one in trace.slices if one.track in trace.threads]
            self.assertEqual(len(calls), totals["visits"])
            for metric, seconds in self.waiting(trace).items():
                self.assertAlmostEqual(seconds, totals[metric], 6, metric)

    def test_ranks_of_a_metahost_stand_together(self):
        words = []
        for i in range(4):  # metahosts in turn
            words += [":"] * bool(words) + ["-n", "1"]
            for name, value in (("METAHOST_ID", str(1 + i % 2)), ("METAHOST_NAME", ("here", "there")[i % 2]), ("NODE", "n%d" % (i % 2))):
                words += setting(MPIEXEC, "LATECOMER_" + name, value)
            words += [app("compute_gsum"), "--sums", "3", "--ms", "1"]
        experiment = self.path("two_metahosts")
        done = scan("--yield", "-e", experiment, MPIEXEC, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.made("two_metahosts", experiment)
        trace = Trace(self.path("two_metahosts.pftrace"))
        shown = [trace.processes[pid] for pid in sorted(trace.places, key=trace.places.get)]
        shown = [re.sub(r"\(.*, ", "(", name) for name in shown]  # without the name of this machine
        self.assertEqual(shown, ["rank 0 (here)", "rank 2 (here)", "rank 1 (there)", "rank 3 (there)"])

    def test_refusals(self):
        output = self.path("x.pftrace")
        for words, status, text in (
                (("--from", "soon"), 2, "not a time"), (("--from", "1000s"), 2, "the run goes from 0 to "), (("--from", "2s", "--to", "1s"), 2, "is not before"),
                (("--ranks", "1-"), 2, "not a list"), (("--ranks", "7"), 2, "no rank of the trace"),
                (("--rank", "x,"), 2, "")):
            done = run([LATECOMER, "timeline", self.experiment, "-o", output, *words])
            self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
            self.assertIn(text, done.stderr)
            self.assertFalse(os.path.exists(output))
        again = run([LATECOMER, "timeline", self.experiment, "-o", self.path("heat.pftrace")])
        self.assertEqual(again.returncode, 2)
        self.assertIn("exists already", again.stderr)
        missing = run([LATECOMER, "timeline", self.path("missing"), "-o", output])
        self.assertEqual(missing.returncode, 3)
        alone = run([ANALYZER, "--from", "1s", self.experiment])
        self.assertEqual(alone.returncode, 2)

    def test_what_is_missing_is_said(self):
        cut = self.path("cut")
        shutil.copytree(self.experiment, cut)
        with open(os.path.join(cut, "traces", "1.evt"), "r+b") as file:
            file.truncate(os.path.getsize(file.name) * 2 // 3)
        done = run([LATECOMER, "timeline", cut, "-o", self.path("cut.pftrace")])
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertRegex(done.stderr, r"partial: 1 thread whose event file ends early or is damaged.*1\.evt")
        Trace(self.path("cut.pftrace"))

    def test_the_reader_of_this_test_is_strict(self):
        with open(self.path("heat.pftrace"), "rb") as file:
            good = file.read()
        bad = self.path("bad.pftrace")
        for data in (good[:-5], good[:3] + b"\xff" + good[4:], b"\x12" + good[1:]):
            with open(bad, "wb") as file:
                file.write(data)
            with self.assertRaises((Wrong, KeyError, UnicodeDecodeError)):
                Trace(bad)


if __name__ == "__main__":
    unittest.main(verbosity=2)
