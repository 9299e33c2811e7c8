#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""latecomer check on repeated runs of the heat program, which pass without a change and fail with
one. Also scan -R."""
import json
import os
import re
import tempfile
import unittest
import xml.etree.ElementTree

from support import LATECOMER, MPIEXEC, app, run, scan

RUNS = 20
# Other work on the machine can double times; the slower run computes ten times as long.
CONDITIONS = ["--fail", "comp>+300%", "--fail", "run_time>+300%", "--budget", "visits<1000"]


def latecomer(*words):
    return run([LATECOMER, *words])


def measure(path, more, *options):
    """Ranks 0 and 1 work 2 ms, rank 0 `more` ms longer, in each of 10 steps."""
    done = scan("--yield", *options, "-e", path, MPIEXEC, "-n", "2", app("heat2d"), "--steps", "10",
                "--even", "2", "--uneven", str(more))
    assert done.returncode == 0, done.stderr
    return done


class Check(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        said = measure(cls.path("run"), 0, "-R", str(RUNS)).stderr
        assert "scan: run 20 of 20\n" in said and "scan: 20 runs;" in said, said
        measure(cls.path("slower"), 100)  # far beyond the effect of other work on the machine
        cls.runs = [cls.path("run_%d" % (i + 1)) for i in range(RUNS)]
        cls.baseline(cls.path("all.json"), cls.runs)

    @classmethod
    def path(cls, name):
        return os.path.join(cls.scratch.name, name)

    @classmethod
    def baseline(cls, name, runs):
        done = latecomer("check", "--write-baseline", name, *runs)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def failures(self, runs):
        """Outputs of the failed checks, each run checked against all others."""
        failed = []
        for i, one in enumerate(runs):
            others = one + "_others.json"  # the run itself is not in its baseline
            self.baseline(others, runs[:i] + runs[i + 1:])
            done = latecomer("check", one, "--baseline", others, *CONDITIONS)
            decided = done.stdout.splitlines()[0]
            self.assertEqual(done.returncode == 0, " failed" not in decided, done.stdout)
            if done.returncode != 0:
                failed.append(done.stdout + done.stderr)
        return failed

    def test_runs_without_a_change_pass(self):
        # Other work on the machine is a change as well, but does not last: then the runs are
        # measured again.
        runs, tries = self.runs, 1
        failed = self.failures(runs)
        while failed and tries < 3:
            measure(self.path("again_%d" % tries), 0, "-R", str(RUNS))
            runs = [self.path("again_%d_%d" % (tries, i + 1)) for i in range(RUNS)]
            failed = self.failures(runs)
            tries += 1
        self.assertEqual(failed, [], "\n".join(failed))

    def test_a_changed_run_fails(self):
        junit = self.path("junit.xml")
        done = latecomer("check", self.path("slower"), "--baseline", self.path("all.json"), "--junit", junit,
                         *CONDITIONS)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("| **failed** | Computation | `must not be: comp>+300%` |", done.stdout)
        suite = xml.etree.ElementTree.parse(junit).getroot().find("testsuite")
        cases = suite.findall("testcase")
        self.assertEqual(len(cases), 3)
        self.assertEqual(sum(case.find("failure") is not None for case in cases), int(suite.get("failures")))
        self.assertIsNotNone(cases[0].find("failure"))
        self.assertIn("error: the check failed", done.stderr)

    def test_other_kinds_of_baselines(self):
        exported = []
        for i in range(5):
            exported += ["--baseline", self.path("%d.json" % i)]
            self.assertEqual(latecomer("json", self.runs[i], "-o", exported[-1]).returncode, 0)
        for words in (exported, [word for i in range(5) for word in ("--baseline", self.runs[i])]):
            self.assertEqual(latecomer("check", self.runs[7], *words, "--fail", "comp>+300%").returncode, 0)
            done = latecomer("check", self.path("slower"), *words, "--fail", "comp>+300%")
            self.assertEqual(done.returncode, 1, done.stdout)
        one = latecomer("check", self.runs[1], "--baseline", self.runs[0], "--budget", "visits<1000")
        self.assertIn("is not known", one.stdout)
        # No test can tell runs apart that differ by a billionth.
        small = latecomer("check", self.runs[7], *exported, "--fail", "comp>+0.0000001%")
        if small.returncode == 0:
            self.assertIn("### latecomer check: undecided\n", small.stdout)
            self.assertRegex(small.stdout, r"can decide: `comp>\+[0-9.]+%`")
            strict = latecomer("check", self.runs[7], *exported, "--strict", "--fail", "comp>+0.0000001%")
            self.assertEqual(strict.returncode, 1, strict.stdout)
        # A single run does not show how much runs differ.
        junit = self.path("one.xml")
        unknown = latecomer("check", self.runs[1], "--baseline", self.runs[0], "--fail", "comp>+1000%", "--junit", junit)
        self.assertEqual(unknown.returncode, 0)
        self.assertIn("| undecided | Computation |", unknown.stdout)
        suite = xml.etree.ElementTree.parse(junit).getroot().find("testsuite")
        self.assertEqual((suite.get("skipped"), suite.get("failures")), ("1", "0"))
        self.assertIn("one run", suite.find("testcase/skipped").get("message"))
        strict = latecomer("check", self.runs[1], "--baseline", self.runs[0], "--fail", "comp>+1000%", "--strict")
        self.assertEqual(strict.returncode, 1, strict.stdout)

    def test_the_baseline_holds_mean_and_spread(self):
        with open(self.path("all.json")) as file:
            baseline = json.load(file)
        self.assertEqual((baseline["runs"], baseline["ranks"], baseline["program"]), (RUNS, 2, "heat2d"))
        values = []
        for one in self.runs:
            rows = json.loads(latecomer("json", one).stdout)["values"]
            values.append(sum(sum(row["values"]) for row in rows if row["metric"] == "comp"))
        spread = baseline["metrics"]["comp"]
        mean = sum(values) / RUNS
        self.assertAlmostEqual(spread["mean"], mean, 9)
        self.assertAlmostEqual(spread["deviation"], (sum((v - mean) ** 2 for v in values) / (RUNS - 1)) ** 0.5, 9)
        self.assertEqual((spread["minimum"], spread["maximum"]), (min(values), max(values)))

    def test_what_measuring_cost_is_in_the_report(self):
        shown = json.loads(latecomer("show", "--json", self.runs[0]).stdout)
        said = shown["measurement"]
        with open(os.path.join(self.runs[0], "scan.log")) as file:
            log = re.search(r"processor time: ([0-9,]+) events of (\d+) ns", file.read())
        self.assertEqual(said["events"], int(log.group(1).replace(",", "")))
        self.assertAlmostEqual(1e9 * said["seconds_per_event"], float(log.group(2)), delta=0.51)
        # The stack of a call place is unwound once.
        self.assertTrue(2 <= said["stacks"] < min(100, said["events"]), said)
        self.assertGreater(said["seconds_for_stacks"], 0)
        samples = said.get("samples", 0)
        seconds = ((said["events"] - samples) * said["seconds_per_event"] + said["seconds_for_stacks"]
                   + said.get("seconds_for_samples", 0))
        self.assertAlmostEqual(said["seconds"], seconds, 9)
        self.assertAlmostEqual(said["fraction"], seconds / said["processor_seconds"], 9)
        # The bound allows for two processes, and for their short time before the library was
        # loaded.
        self.assertLess(said["processor_seconds"], 2 * shown["run"]["duration"] + 0.5)

    def test_refusals(self):
        damaged = self.path("damaged.json")
        with open(damaged, "w") as file:
            file.write("{\"kind\": ")
        one, base = self.runs[0], self.path("all.json")
        difference, junit = self.path("difference.cubex"), self.path("error.xml")
        self.assertEqual(latecomer("diff", one, self.runs[1], "-o", difference).returncode, 0)
        for words, status, text in (
                ((one,), 2, "nothing to check"),
                ((difference, "--fail", "comp>5s", "--junit", junit), 3, "not a run"),
                ((one, "--baseline", difference, "--fail", "comp>5s"), 3, "not a run"),
                ((one, "--fail", "comp>5"), 2, "has no unit"),
                ((one, one, "--budget", "time<1s"), 2, "takes one"),
                ((one, "--fail", "comp>5 parsec"), 2, "no unit"),
                ((one, "--fail", "comp>+5%"), 2, "there is no baseline"),
                ((one, "--baseline", damaged, "--fail", "comp>+5%"), 3, "damaged"),
                ((one, "--baseline", base, "--baseline", base, "--fail", "comp>+5%"), 2, "cannot be joined"),
                (("--write-baseline", base, one), 2, "exists already"),
                (("--write-baseline", self.path("x.json"), self.path("missing")), 3, "there is no"),
                (("--write-baseline", self.path("x.json"), one, "--fail", "x>5"), 2, "--fail")):
            done = latecomer("check", *words)
            self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
            self.assertIn(text, done.stderr)
        error = xml.etree.ElementTree.parse(junit).getroot().find("testsuite/testcase/error")
        self.assertIn("not a run", error.get("message"))
        with open(os.path.join(one, "analysis.cubex"), "rb") as file:
            half = file.read(4000)
        with open(self.path("half.cubex"), "wb") as file:
            file.write(half)
        done = latecomer("check", self.path("half.cubex"), "--fail", "comp>5s", "--junit", junit)
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        suite = xml.etree.ElementTree.parse(junit).getroot().find("testsuite")
        self.assertEqual((suite.get("errors"), suite.get("tests")), ("1", "1"))
        self.assertIn("half.cubex", suite.find("testcase/error").get("message"))
        # A conflict of the last run is reported before the first run.
        os.makedirs(os.path.join(self.path("later_2"), "traces"))
        done = scan("-R", "2", "-e", self.path("later"), MPIEXEC, "-n", "1", app("heat2d"))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("later_2 exists", done.stderr)
        self.assertFalse(os.path.exists(self.path("later_1")))


if __name__ == "__main__":
    unittest.main(verbosity=2)
