#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What latecomer watch says of programs is what the analysis of their traces says after the run."""
import csv
import json
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from support import METRICS, Run, latecomer  # noqa: E402

# Reasons for which something is left out of these programs: they have no wait state here, or are tests.
EXPECTED = {"collectives_without_formula", "unsuccessful_polls", "receives_in_tests", "operations_on_windows_and_files"}


def after_the_run(experiment, name):
    """Nanoseconds by metric, call path and rank, from the report of the trace. Time in probes is no waiting in a run that
    is watched."""
    done = latecomer("csv", experiment)
    found = {}
    for row in csv.reader(line for line in done.stdout.splitlines() if not line.startswith("#")):
        if row[0] in METRICS and not row[1].endswith("Probe"):
            key = (row[0], name(" > ".join(row[1].split("/")[1:])), int(row[4]))
            found[key] = found.get(key, 0) + round(float(row[6]) * 1e9)
    return {key: value for key, value in found.items() if value}


def of_calls(report, name):
    """Time and number of calls of MPI, by metric, call path and rank, from a report."""
    done = latecomer("csv", report)
    found = {}
    for row in csv.reader(line for line in done.stdout.splitlines() if not line.startswith("#")):
        if row[0] in ("mpi", "visits") and "/MPI_" in row[1]:
            key = (row[0], name(" > ".join(row[1].split("/")[1:])), int(row[4]))
            found[key] = found.get(key, 0) + round(float(row[6]) * (1e9 if row[0] == "mpi" else 1))
    return found


def while_running(report, name):
    found = {}
    for one in report["paths"]:
        for rank in one["ranks"]:
            key = (one["metric"], name(one["path"]), rank["rank"])
            found[key] = found.get(key, 0) + rank["ns"]
    return found


def arrivals_after_the_run(experiment):
    """By operation on MPI_COMM_WORLD: number, and for each rank how often it was first, last, and at each place."""
    extras = json.loads(latecomer("json", experiment).stdout)["extras"]
    return {one["operation"]: (one["operations"], {rank[0]: (rank[1], rank[2], rank[4]) for rank in one["ranks"]})
            for one in extras["collectives"] if one["communicator"] == "MPI_COMM_WORLD"}


def arrivals_while_running(report):
    found = {}
    for site in report["collectives"]:
        if site["communicator"] != "MPI_COMM_WORLD":
            continue
        operations, ranks = found.get(site["operation"], (0, {}))
        for rank in site["ranks"]:
            first, last, places = ranks.get(rank["rank"], (0, 0, [0] * len(rank["arrivals"])))
            ranks[rank["rank"]] = (first + rank["first"], last + rank["last"],
                                   [a + b for a, b in zip(places, rank["arrivals"])])
        found[site["operation"]] = (operations + site["operations"], ranks)
    return found


class Exact(unittest.TestCase):
    """Clocks are those of one node, and all times are integers, so nothing is rounded: results are equal."""
    maxDiff = None

    def check(self, program, *words, name=lambda path: path):
        with tempfile.TemporaryDirectory() as directory, \
                Run(program, *words, APP_WAITS_FOR_FILE=os.path.join(directory, "go")) as run, \
                run.watching("--report", run.path("watch.json")) as watching:
            # The program goes on to its end when all records are being read.
            watching.until(lambda state: len(state["ranks"]) == 4)
            with open(os.path.join(directory, "go"), "w", encoding="utf-8"):
                pass
            status, _, errors = watching.end()
            self.assertEqual((status, errors), (0, ""))
            status, output = run.end()
            self.assertEqual(status, 0, output)
            with open(run.path("watch.json"), encoding="utf-8") as file:
                report = json.load(file)
            self.assertTrue(report["ended"])
            left_out = {key for key, count in report["left_out"].items() if count}
            self.assertLessEqual(left_out, EXPECTED)
            expected = after_the_run(run.experiment, name)
            self.assertGreater(len(expected), 3)
            self.assertEqual(while_running(report, name), expected)
            orders = arrivals_after_the_run(run.experiment)
            self.assertGreater(len(orders), 0)
            self.assertEqual(arrivals_while_running(report), orders)
            self.check_sums(report)
            done = latecomer("profile", run.path("watch.json"), "-o", run.path("watch.cubex"))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(after_the_run(run.path("watch.cubex"), name), expected)
            calls = of_calls(run.experiment, name)
            self.assertGreater(len(calls), 8)
            self.assertEqual(of_calls(run.path("watch.cubex"), name), calls)

    def check_sums(self, report):
        counts, left_out = report["counts"], report["left_out"]
        self.assertEqual(counts["sends"] + counts["receives"],
                         2 * counts["messages"] + counts["messages_pending"] + counts["receives_held_back"] +
                         sum(left_out[key] for key in left_out if key.startswith("messages_")))
        by_rank = sum(rank["waiting_ns"] for rank in report["ranks"])
        self.assertEqual(by_rank, report["waiting_ns"])
        self.assertEqual(by_rank, sum(path["ns"] for path in report["paths"]))
        self.assertEqual(by_rank, sum(rank["caused_ns"] for rank in report["ranks"]))
        self.assertEqual(by_rank, sum(pair["ns"] for pair in report["node_pairs"]))

    def test_heat2d(self):
        self.check("heat2d", "--steps", "100", "--uneven", "2")

    def test_samplesort(self):
        self.check("samplesort")

    def test_cg(self):
        self.check("cg")

    def test_waitstates(self):
        # Its functions are recorded by instrumentation, which watch does not show: only the functions of MPI.
        self.check("waitstates", name=lambda path: path.split(" > ")[-1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
