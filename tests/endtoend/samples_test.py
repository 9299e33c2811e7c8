#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Samples of the computation: where they fall, how many there are, and that the program does not notice them.

Processor time is what is sampled, so nothing here depends on the speed or the load of the machine."""
import collections
import json
import os
import re
import tempfile
import unittest

from support import LATECOMER, MPIEXEC, run, scan

COMPUTING, FORBID = os.environ["COMPUTING"], os.environ["FORBID"]


def refused():
    """Why the kernel takes no samples of this process, or None."""
    with tempfile.TemporaryDirectory() as scratch:
        experiment = os.path.join(scratch, "experiment")
        scan("--sample", "1000", "-t", "-e", experiment, MPIEXEC, "-n", "1", COMPUTING, "1", "20")
        return properties(experiment).get("LATECOMER::SAMPLES_REFUSED_WHY")


def properties(experiment):
    text = run(["otf2-print", "-A", os.path.join(experiment, "traces.otf2")]).stdout
    return dict(re.findall(r"^Property name +(LATECOMER::\S+)\nProperty value +(.*)$", text, re.M))


def samples(experiment):
    """Number of samples by rank and innermost function, as "uneven@computing.c:38"."""
    anchor = os.path.join(experiment, "traces.otf2")
    found = collections.Counter()
    for rank, where in re.findall(r'^CALLING_CONTEXT_SAMPLE +(\d+) .*?Context: "(.*?)"',
                                  run(["otf2-print", anchor]).stdout, re.M):
        found[int(rank), where] += 1
    return found


def times(experiment):
    """Seconds that the samples stand for, by rank and innermost function."""
    anchor = os.path.join(experiment, "traces.otf2")
    periods = dict(re.findall(r"^INTERRUPT_GENERATOR +(\d+) .*Period: (\d+)", run(["otf2-print", "-G", anchor]).stdout,
                              re.M))
    found = collections.Counter()
    for rank, where, generator in re.findall(
            r'^CALLING_CONTEXT_SAMPLE +(\d+) .*?Context: "(.*?)@.*Interrupt Generator: "processor time" <(\d+)>',
            run(["otf2-print", anchor]).stdout, re.M):
        found[int(rank), where] += int(periods[generator]) * 1e-6
    return found


class Samples(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.experiment = os.path.join(scratch.name, "experiment")

    def record(self, *program, ranks=2, options=()):
        done = scan("--yield", "-e", self.experiment, *options, MPIEXEC, "-n", str(ranks), *program)
        self.assertNotIn("warning: names", done.stderr)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        printed = run(["otf2-print", "-A", "--silent", os.path.join(self.experiment, "traces.otf2")])
        self.assertEqual((printed.returncode, printed.stderr), (0, ""))
        return done

    def need_samples(self):
        why = refused()
        if why:
            self.skipTest("the kernel refuses samples: " + why)

    def test_functions_and_lines(self):
        """100 ms in even() and uneven() of rank 1, 200 ms in uneven() of rank 0, one sample per ms."""
        self.need_samples()
        self.record(COMPUTING, "10", "10", options=("--sample", "1000"))
        found = samples(self.experiment)
        sums = collections.Counter()
        for (rank, where), count in found.items():
            sums[rank, re.sub(r"@.*", "", where)] += count
        lines = collections.Counter()
        for (rank, where), count in found.items():
            lines[re.sub(r".*:", "", where)] += count
        # Clock readings inside these functions are samples of clock_gettime, less than a tenth.
        self.assertNotIn("vdso", str(found))
        self.assertNotIn("dl_iterate_phdr", str(found))  # the measurement library itself
        for key, expected in (((0, "even"), 100), ((1, "even"), 100), ((0, "uneven"), 200), ((1, "uneven"), 100)):
            self.assertLess(abs(sums[key] - expected), 0.25 * expected, (key, sums))
        most = {line for line, _ in lines.most_common(2)}
        self.assertTrue(most <= {"31", "32", "39", "40"}, lines)

    def test_the_cause_of_waiting(self):
        """Rank 0 computes 300 ms longer in uneven(), and rank 1 waits for it."""
        self.need_samples()
        done = self.record(COMPUTING, "10", "30", options=("--sample", "1000"))
        report = json.loads(run([LATECOMER, "json", self.experiment]).stdout)
        longer = [one for one in report["extras"]["longer_computation"] if one["location"] == 0][0]
        # uneven() also reads the clock, in seconds(), which is part of it.
        names = {path["id"]: path["names"] for path in report["call_paths"]}
        self.assertEqual(names[longer["within"]][-1], "uneven")
        self.assertIn(longer["lines"][0]["function"], ("uneven", "seconds"))
        # On a machine with other load a rank may have had no core for longer than it computed.
        self.assertRegex(" ".join(done.stderr.split()), r"cause: main \(rank.*\) made others wait .* of all waiting it "
                         r"(had no core for .*; )?computed longer for [0-9.]+ m?s (of the waiting )?in uneven")

    def test_as_many_as_there_was_processor_time(self):
        """One process computes 1200 ms without an MPI call. The first buffer is full after 60 samples, the second one
        after 15 that are 21 times as far apart."""
        self.need_samples()
        self.record(COMPUTING, "1", "400", ranks=1, options=("--sample", "1000"))
        text = run(["otf2-print", os.path.join(self.experiment, "traces.otf2")]).stdout
        generators = re.findall(r'^CALLING_CONTEXT_SAMPLE .*Interrupt Generator: "processor time" <(\d+)>', text, re.M)
        periods = dict(re.findall(r'^INTERRUPT_GENERATOR +(\d+) .*"processor time".*Period: (\d+)',
                                  run(["otf2-print", "-G", os.path.join(self.experiment, "traces.otf2")]).stdout, re.M))
        self.assertEqual(set(periods.values()), {"1000", "21000", "441000"})
        time = sum(int(periods[generator]) for generator in generators) * 1e-6
        self.assertLess(abs(time - 1.2), 0.5)  # the slowest samples stand for 0.441 s each

    def test_the_program_does_not_notice(self):
        for mode in ((), ("fork",), ("threads",)):
            outputs = []
            for rate in ("off", "1000"):
                done = self.record(COMPUTING, "3", "10", *mode, options=("--sample", rate, "--overwrite"))
                outputs.append(sorted(done.stdout.splitlines()))
            self.assertEqual(*outputs, mode)
            if not refused():
                self.assertGreater(sum(samples(self.experiment).values()), 10, mode)
            self.assertIn("0 calls interrupted", outputs[0][0])

    def test_a_kernel_that_refuses(self):
        done = self.record(FORBID, COMPUTING, "2", "5", options=("--sample", "1000"))
        self.assertEqual(samples(self.experiment), {})
        self.assertEqual(properties(self.experiment)["LATECOMER::SAMPLES_REFUSED"], "2")
        text = " ".join(done.stderr.split())
        self.assertIn("2 processes without samples of the computation: the kernel refuses them: Operation not permitted",
                      text)
        self.assertIn("scan --sample-signals takes them with timer signals", text)
        self.assertIn("rank 1: ", done.stdout)

    def test_timer_signals_where_the_kernel_refuses(self):
        """300 ms in even() and uneven() of rank 1, 600 ms in uneven() of rank 0. The kernel may look at timers every
        10 ms only, so samples stand for different times."""
        done = self.record(FORBID, COMPUTING, "10", "30", options=("--sample", "1000", "--sample-signals"))
        said = properties(self.experiment)
        self.assertEqual(said["LATECOMER::SAMPLES_BY_SIGNALS"], "2")
        self.assertNotIn("LATECOMER::SAMPLES_REFUSED", said)
        self.assertIn("2 processes with samples by timer signals, since the kernel refuses its own: Operation not "
                      "permitted", " ".join(done.stderr.split()))
        sums = times(self.experiment)
        for key, expected in (((0, "even"), 0.3), ((1, "even"), 0.3), ((0, "uneven"), 0.6), ((1, "uneven"), 0.3)):
            self.assertLess(abs(sums[key] - expected), 0.3 * expected, (key, sums))
        shown = json.loads(run([LATECOMER, "show", self.experiment, "--computation", "--json"]).stdout)
        self.assertEqual([one["name"] for one in shown["computation"]["functions"]][:2], ["uneven", "even"])

    def test_the_kernel_takes_samples_where_it_can(self):
        self.need_samples()
        self.record(COMPUTING, "2", "10", options=("--sample", "1000", "--sample-signals"))
        self.assertNotIn("LATECOMER::SAMPLES_BY_SIGNALS", properties(self.experiment))
        self.assertNotEqual(samples(self.experiment), {})

    def test_the_program_does_not_notice_timer_signals(self):
        for mode in ((), ("fork",), ("exec",), ("threads",), ("handler",)):
            outputs = []
            for rate in ("off", "1000"):
                done = self.record(FORBID, COMPUTING, "3", "20", *mode,
                                   options=("--sample", rate, "--sample-signals", "--overwrite"))
                outputs.append(sorted(done.stdout.splitlines()))
            self.assertEqual(*outputs, mode)
            self.assertIn("0 calls interrupted, %d signals" % (3 if mode == ("handler",) else 0), outputs[0][0])
            said = properties(self.experiment)
            if mode == ("handler",):
                self.assertIn("timer signals are not possible: the program handles SIGURG",
                              said["LATECOMER::SAMPLES_REFUSED_WHY"])
            else:
                self.assertGreater(sum(samples(self.experiment).values()), 6, mode)

    def test_without_call_paths(self):
        done = self.record(COMPUTING, "2", "5", options=("--sample", "1000", "--no-callpath"))
        self.assertIn("without samples of the computation: they need call paths", " ".join(done.stderr.split()))

    def test_off(self):
        self.record(COMPUTING, "2", "5", options=("--sample", "off"))
        self.assertEqual(samples(self.experiment), {})
        self.assertNotIn("LATECOMER::SAMPLES", properties(self.experiment))


if __name__ == "__main__":
    unittest.main()
