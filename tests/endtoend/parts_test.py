#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A run on two metahosts without a common file system: record, analyze, collect."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from launching import setting  # noqa: E402
from file_systems import FileSystem, skip_if_impossible  # noqa: E402
from support import ANALYZER, BUILD, LATECOMER, MPIEXEC, SCAN, app, run  # noqa: E402

ENDS = os.environ["ENDS"]
REPORT = "analysis.cubex"


def read(path):
    with open(path, "rb") as f:
        return f.read()


def contents(directory):
    """Contents of each file of an archive except its anchor, which holds a random number."""
    found = {name: read(os.path.join(directory, "traces", name))
             for name in os.listdir(os.path.join(directory, "traces"))}
    found["traces.def"] = read(os.path.join(directory, "traces.def"))
    return found


class Metacomputer:
    """Ranks 0 and 1 on metahost FZJ, 2 and 3 on CAESAR; each metahost has a file system at
    `place`."""

    def __init__(self, directory):
        self.directory = directory
        self.place = os.path.join(directory, "place")
        self.experiment = os.path.join(self.place, "experiment")
        os.mkdir(self.place)
        self.first, self.second = FileSystem(self.place), FileSystem(self.place)
        self.copies = {}

    def close(self):
        self.first.close()
        self.second.close()

    def launcher(self):
        """Writes a launcher that starts a program on both metahosts."""
        path = os.path.join(self.directory, "launcher")
        with open(path, "w") as f:
            f.write("#!/bin/sh\nexec %s" % MPIEXEC)
            for number, system in enumerate((self.first, self.second)):
                variables = (setting(MPIEXEC, "LATECOMER_METAHOST_ID", str(number)) +
                             setting(MPIEXEC, "LATECOMER_METAHOST_NAME", ("FZJ", "CAESAR")[number]))
                f.write('%s -n 2 %s "$@"' % (" :" if number else "", " ".join(variables + system.enter)))
            f.write("\n")
        os.chmod(path, 0o755)
        return path

    def scan(self, *program, options=()):
        """Runs scan on the first metahost, as a user there would."""
        return run(self.first.enter + [sys.executable, SCAN, "--yield", "-e", self.experiment, *options,
                                       self.launcher(), "--", *program])

    def analyze(self, systems, *options):
        """Runs one analysis process for each of these file systems."""
        words = [MPIEXEC]
        for number, system in enumerate(systems):
            words += ([":"] if number else []) + ["-n", "1"] + system.enter + [
                ANALYZER, *options, self.experiment]
        return run(words)

    def report(self, system):
        """The report on a file system; None if it has none."""
        name = os.path.join(self.experiment, REPORT)
        done = subprocess.run(system.enter + ["cat", name], capture_output=True)
        return done.stdout if done.returncode == 0 else None

    def remove_reports(self):
        for system in (self.first, self.second):
            system.run("rm", "-f", os.path.join(self.experiment, REPORT))

    def copy(self, system, name):
        """Copies the part on a file system to the common file system."""
        target = os.path.join(self.directory, name)
        system.copy(self.experiment, target)
        return target


class PartsTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name
        self.machine = Metacomputer(scratch.name)
        self.addCleanup(self.machine.close)

    def collect(self, *parts):
        target = os.path.join(self.directory, "collected")
        return target, run([LATECOMER, "collect", *parts, "-o", target])

    def report_of(self, experiment, processes):
        report = os.path.join(self.directory, "report")
        done = run([MPIEXEC, "-n", str(processes), ANALYZER, "-q", "-o", report, experiment])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return read(report)

    def test_the_analysis_needs_no_common_file_system(self):
        m = self.machine
        done = m.scan(app("coupled"), options=["--keep-records"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("error", done.stderr)
        self.assertNotIn("note: 2 of", done.stderr)
        expected = m.report(m.first)
        self.assertIsNotNone(expected)
        self.assertIsNone(m.report(m.second))
        for system, ranks in ((m.first, (0, 1)), (m.second, (2, 3))):
            self.assertEqual(system.names(m.experiment + "/traces"),
                             sorted("%d.%s" % (rank, kind) for rank in ranks for kind in ("def", "evt")))

        # Any processes that see all parts together make the same report, once.
        a, b = m.first, m.second
        for systems in ((a, b), (b, a), (a, b, a), (b, b, a, a, b)):
            m.remove_reports()
            done = m.analyze(systems, "-q")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(m.report(a), expected)
            self.assertIsNone(m.report(b))

        # All parts in one place give the archive of a common file system, and the same report.
        parts = [m.copy(a, "part_a"), m.copy(b, "part_b")]
        collected, done = self.collect(*parts)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("trace of 4 ranks from 2 parts", done.stdout)
        for processes in (1, 2, 3):
            self.assertEqual(self.report_of(collected, processes), expected)
        whole = os.path.join(self.directory, "whole")
        os.makedirs(whole + "/records")
        for part in parts:
            subprocess.run(["cp", "-r", part + "/records", whole], check=True)
        with open(whole + "/latecomer.cfg", "w"):  # the manifest names the files that scan leaves
            pass
        self.assertEqual(run([os.path.join(BUILD, "bin", "latecomer-repair"), whole]).returncode, 0)
        self.assertEqual(contents(collected), contents(whole))
        info = [json.loads(run([LATECOMER, "info", "--json", d]).stdout) for d in (collected, whole)]
        self.assertEqual(info[0]["properties"], info[1]["properties"])
        self.assertEqual(len(read(collected + "/traces.otf2")), len(read(whole + "/traces.otf2")))
        self.assertEqual(read(collected + "/MANIFEST.md"), read(whole + "/MANIFEST.md"))
        printed = run(["otf2-print", "-A", "--silent", collected + "/traces.otf2"])
        self.assertNotIn("rror", printed.stderr)

        # A corrected archive has the same parts, wherever it was made.
        corrected = os.path.join(m.place, "corrected")
        done = m.analyze((a, b, a), "-q", "--write-corrected", corrected)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = run([ANALYZER, "-q", "-o", os.path.join(self.directory, "report"), "--write-corrected",
                    os.path.join(self.directory, "corrected"), collected])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for system, name in ((a, "corrected_a"), (b, "corrected_b")):
            system.copy(corrected, os.path.join(self.directory, name))
        done = run([LATECOMER, "collect", *(os.path.join(self.directory, "corrected_" + x) for x in "ab"),
                    "-o", os.path.join(self.directory, "corrected_all")])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(contents(os.path.join(self.directory, "corrected_all")),
                         contents(os.path.join(self.directory, "corrected")))

        part = run([LATECOMER, "info", parts[1]]).stdout
        self.assertIn("part         one of 2; events of other ranks are elsewhere\n"
                      "  here       metahost CAESAR: ranks 2, 3\n"
                      "  elsewhere  metahost FZJ: ranks 0, 1\n", part)
        self.assertIn("no files are missing", part)

    def test_what_nobody_sees_is_missing_and_named(self):
        m = self.machine
        self.assertEqual(m.scan(app("heat2d"), "--steps", "10").returncode, 0)
        m.remove_reports()
        done = m.analyze((m.first, m.first), "-q")
        self.assertEqual(done.returncode, 4, done.stderr)
        sentence = "the events of ranks 2, 3 were written on metahost CAESAR"
        self.assertIn("note: " + sentence, done.stderr)
        self.assertEqual(done.stderr.count("note:"), 1, done.stderr)
        shown = m.first.run(LATECOMER, "show", "--json", m.experiment)
        quality = {note["name"]: note for note in json.loads(shown.stdout)["quality"]}
        self.assertEqual(quality["missing_locations"]["count"], 2)
        self.assertIn(sentence, quality["missing_locations"]["text"])

        done = m.analyze((m.second,))
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("ranks 0, 1 were written on metahost FZJ", done.stderr)
        self.assertIsNotNone(m.report(m.second))

        # A process that sees no experiment at all takes no part.
        m.remove_reports()
        with FileSystem(m.place) as third:
            done = m.analyze((third, m.second, m.first))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("note: 1 of 3 analysis processes do not see", done.stderr)
            done = m.analyze((third, third))
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertEqual(done.stderr.count("error:"), 1, done.stderr)

    def test_parts_of_different_runs_are_refused(self):
        m = self.machine
        self.assertEqual(m.scan(app("pi")).returncode, 0)
        old = m.copy(m.second, "old")
        self.assertEqual(m.scan(app("pi"), options=["--overwrite"]).returncode, 0)
        _, done = self.collect(m.copy(m.first, "new"), old)
        self.assertEqual(done.returncode, 3)
        self.assertIn("do not hold parts of one archive", done.stderr)
        m.second.run("rm", "-r", m.experiment)
        m.second.run("cp", "-r", old, m.experiment)
        done = m.analyze((m.first, m.second))
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("archives of different runs: one on process 0", done.stderr)
        self.assertEqual(done.stderr.count("error:"), 1, done.stderr)

    def test_records_of_a_killed_run_are_collected(self):
        m = self.machine
        done = m.scan(ENDS, "kill")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("latecomer collect brings the records of all 2 parts together", done.stderr)
        self.assertNotIn("error:", done.stderr)
        self.assertIsNotNone(m.report(m.first))  # the report of the part that is there
        here = m.first.run(LATECOMER, "info", m.experiment).stdout
        self.assertIn("here       metahost FZJ: ranks 0, 1", here)
        self.assertIn("elsewhere  another metahost: ranks 2, 3", here)
        parts = [m.copy(m.first, "part_a"), m.copy(m.second, "part_b")]
        collected, done = self.collect(*parts)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("records of 4 ranks from 2 parts\nnext: latecomer repair " + collected, done.stdout)
        done = run([LATECOMER, "repair", collected])
        self.assertEqual(done.returncode, 4, done.stderr)  # the run was killed, so MPI_Finalize is missing
        info = json.loads(run([LATECOMER, "info", "--json", collected]).stdout)
        self.assertEqual(info["parts"], 1)
        self.assertEqual([m["name"] for m in info["metahosts"]], ["FZJ", "CAESAR"])
        self.assertTrue(all(p["locations"][0]["events"] > 0 for p in info["processes"]))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as somewhere:
        skip_if_impossible(somewhere)
    unittest.main(argv=sys.argv[:1], verbosity=2)
