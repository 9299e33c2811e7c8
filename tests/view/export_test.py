#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""latecomer json and csv: they follow the documented schema and have the same numbers as the
report."""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))
from cube_reader import values_of  # noqa: E402
from reference import archive_of  # noqa: E402

LATECOMER, ANALYZER, MPIEXEC, EXAMPLES = (os.environ[name] for name in ("LATECOMER", "ANALYZER", "MPIEXEC", "EXAMPLES"))


def latecomer(*words):
    return subprocess.run([LATECOMER, *words], capture_output=True, text=True, timeout=200)


def printed(*words):
    run = latecomer(*words)
    assert run.returncode == 0, run.stderr
    return run.stdout


def lines_of_csv(text):
    return list(csv.DictReader(io.StringIO("".join(line for line in text.splitlines(True)
                                                   if not line.startswith("#")))))


def reports():
    found = [os.path.join(EXAMPLES, name) for name in ("latecomer_heat_4_trace", "coupled.cubex", "quiet.cubex")]
    return found + [os.path.join(ROOT, "tests", "report", "data", "cube_example.cubex")]


class Export(unittest.TestCase):
    def test_json_follows_its_schema(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("no jsonschema (package python3-jsonschema)")
        with open(os.path.join(ROOT, "docs", "report.schema.json")) as file:
            schema = json.load(file)
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        for report in reports():
            data = json.loads(printed("json", report))
            validator.validate(data)
            ids = {path["id"] for path in data["call_paths"]}
            names = {metric["name"] for metric in data["metrics"]}
            self.assertEqual(len(ids), len(data["call_paths"]))
            for row in data["values"]:
                self.assertIn(row["call_path"], ids)
                self.assertIn(row["metric"], names)
                self.assertEqual(len(row["values"]), len(data["locations"]))
            wrong = dict(data, schema_version=2)
            self.assertFalse(validator.is_valid(wrong))

    def test_csv_has_the_values_of_json(self):
        for report in reports():
            data = json.loads(printed("json", report))
            paths = {path["id"]: "/".join(path["names"]) for path in data["call_paths"]}
            units = {metric["name"]: metric["unit"] for metric in data["metrics"]}
            wanted = []
            for row in data["values"]:
                for place, value in zip(data["locations"], row["values"]):
                    if value != 0:
                        wanted.append((row["metric"], paths[row["call_path"]], place["metahost"], place["node"],
                                       place["rank"], place["thread"], value, units[row["metric"]]))
            got = [(line["metric"], line["call_path"], line["metahost"], line["node"], int(line["rank"]),
                    int(line["thread"]), float(line["value"]), line["unit"])
                   for line in lines_of_csv(printed("csv", report))]
            self.assertEqual(got, wanted)
            self.assertGreater(len(got), 1)

    def test_what_cannot_be_summed_up(self):
        report = os.path.join(EXAMPLES, "formulas.cubex")
        data = json.loads(printed("json", report))
        self.check_schema(data)
        self.assertEqual([metric["name"] for metric in data["metrics"] if metric.get("adds_up") is False],
                         ["mpi_share", "longest", "fails_at_d", "worst", "best"])
        paths = {path["id"]: "/".join(path["names"]) for path in data["call_paths"]}
        rows = {(row["metric"], paths[row["call_path"]]): row for row in data["aggregates"]}
        # MPI has 4.5 and 5 s of 24 and 28 below B, nothing in B itself.
        share = rows["mpi_share", "A/B"]
        self.assertEqual(share["values"], [100 * 4.5 / 24, 100 * 5 / 28])
        self.assertEqual((share["own"], share["own_values"]), (0, [0, 0]))
        self.assertNotIn("own", rows["mpi_share", "A/B/E"])
        self.assertEqual(rows["best", "A/B"], {"metric": "best", "call_path": 3, "value": 0, "values": [0, 6],
                                               "own": 3, "own_values": [3, None]})
        self.assertEqual(len(data["notes"]), 1)
        self.assertIn("metric fails_at_d has no value in some places, the first of them at A > B > D: there is no "
                      "call path 77", data["notes"][0])
        # The lines of CSV have exclusive values of the threads.
        wanted = {}
        for (metric, path), row in rows.items():
            for rank, value in enumerate(row.get("own_values", row["values"])):
                if value:
                    wanted[metric, path, rank] = value
        text = printed("csv", report)
        names = {metric for metric, _ in rows}
        got = {(line["metric"], line["call_path"], int(line["rank"])): float(line["value"])
               for line in lines_of_csv(text) if line["metric"] in names}
        self.assertEqual(got, wanted)
        self.assertEqual(got["mpi_share", "A/B/E", 1], 50)
        self.assertEqual(got["worst", "A", 1], -2)
        self.assertNotIn(("worst", "A/B", 0), got)
        self.assertIn("# cannot be summed up: mpi_share (", text)
        self.assertTrue(text.splitlines()[-1].startswith("# note: metric fails_at_d has no value"))

    def test_places_and_context_of_a_metacomputer(self):
        text = printed("csv", os.path.join(EXAMPLES, "coupled.cubex"))
        self.assertTrue(text.startswith("# latecomer csv, schema version 1\n"))
        self.assertIn("# partial: true\n", text)
        line = next(line for line in lines_of_csv(text) if line["metric"] == "mpi_latesender" and line["rank"] == "3")
        self.assertEqual(line["metahost"], "jülich")
        self.assertEqual(line["unit"], "sec")

    def test_values_over_time(self):
        report = os.path.join(EXAMPLES, "latecomer_heat_4_trace")
        lines = lines_of_csv(printed("csv", report, "--by", "time"))
        got = [(line["metric"], float(line["from"]), float(line["to"]), float(line["value"])) for line in lines]
        self.assertEqual(got, [("mpi_latesender", 0, 6.175, 4), ("mpi_latesender", 6.175, 12.35, 1),
                               ("mpi_barrier_wait", 0, 6.175, 1), ("mpi_barrier_wait", 6.175, 12.35, 1)])
        shown = json.loads(printed("show", report, "--by", "time", "--json"))
        self.assertEqual([(one["name"], one["values"]) for one in shown["metrics"]],
                         [("mpi_latesender", [[4, 1]]), ("mpi_barrier_wait", [[1, 1]])])
        slices = json.loads(printed("json", report))["extras"]["time_slices"]
        self.assertEqual((shown["slices"], shown["seconds"]), (slices["count"], slices["seconds"]))
        none = latecomer("csv", os.path.join(EXAMPLES, "coupled.cubex"), "--by", "time")
        self.assertEqual(none.returncode, 3)
        self.assertIn("has no values over time", none.stderr)
        self.assertEqual(latecomer("csv", report, "--by", "size").returncode, 2)

    def test_files_are_not_overwritten_unasked(self):
        report = os.path.join(EXAMPLES, "quiet.cubex")
        with tempfile.TemporaryDirectory() as scratch:
            for command in ("json", "csv"):
                name = os.path.join(scratch, "out." + command)
                self.assertEqual(printed(command, report, "-o", name), "")
                with open(name) as file:
                    self.assertEqual(file.read(), printed(command, report))
                again = latecomer(command, report, "-o", name)
                self.assertEqual((again.returncode, again.stdout), (2, ""))
                self.assertIn("exists", again.stderr)
                printed(command, report, "-o", name, "--overwrite")
            missing = latecomer("json", os.path.join(scratch, "nothing"))
            self.assertEqual(missing.returncode, 3)
            self.assertIn("there is no", missing.stderr)

    def test_every_value_of_the_reference_traces(self):
        for name in ("npb-cg-S", "waitstates"):
            with tempfile.TemporaryDirectory() as scratch:
                report = os.path.join(scratch, "report.cubex")
                subprocess.run([MPIEXEC, "-n", "2", ANALYZER, "-q", "-o", report,
                                archive_of(name, scratch)], check=True, timeout=120)
                data = json.loads(printed("json", report))
                self.check_schema(data)
                paths = {path["id"]: "/".join(path["names"]) for path in data["call_paths"]}
                got = {}
                for row in data["values"]:
                    if any(row["values"]):
                        got.setdefault(row["metric"], {})[paths[row["call_path"]]] = row["values"]
                wanted = {metric: rows["values"] for metric, rows in values_of(report).items()}
                self.assertEqual(got, wanted)
                # The statistics refer to the same call paths.
                for metric, one in data["extras"]["statistics"].items():
                    for instance in one["worst"]:
                        self.assertIn(paths[instance["call_path"]], got[metric])
                        self.check_timeline(instance, paths)
                # The check detects a wrong timeline.
                first = next(one for one in data["extras"]["statistics"].values() if one["worst"])["worst"][0]
                first["timeline"]["lanes"][0]["calls"][0].pop()
                with self.assertRaises(AssertionError):
                    self.check_schema(data)

    def check_schema(self, data):
        try:
            import jsonschema
        except ImportError:
            return
        with open(os.path.join(ROOT, "docs", "report.schema.json")) as file:
            schema = json.load(file)
        errors = list(jsonschema.Draft202012Validator(schema).iter_errors(data))
        self.assertEqual([], [error.message[:300] for error in errors[:3]])

    def check_timeline(self, instance, paths):
        """Calls of a lane follow each other; the rank that waited has its call and its wait in its
        lane."""
        timeline = instance["timeline"]
        length = round((timeline["to"] - timeline["from"]) * 1e9)
        self.assertLessEqual(timeline["from"], instance["enter"])
        self.assertGreaterEqual(timeline["to"], instance["exit"])
        for lane in timeline["lanes"]:
            end = None
            for begin, duration, path, _ in lane["calls"]:
                self.assertIn(path, paths)
                self.assertTrue(end is None or abs(begin - end) <= 1, (begin, end))
                end = begin + duration
            self.assertTrue(end is None or end <= length + 1)
        own = [lane for lane in timeline["lanes"] if lane["rank"] == instance["rank"]]
        self.assertEqual(len(own), 1)
        # The lane has the call itself, or an ancestor that stands for several short calls.
        where = paths[instance["call_path"]] + "/"
        self.assertTrue(any(where.startswith(paths[call[2]] + "/") for call in own[0]["calls"]), where)
        if "cause_rank" in instance:
            self.assertIn(instance["cause_rank"], [lane["rank"] for lane in timeline["lanes"]])


if __name__ == "__main__":
    unittest.main(verbosity=2)
