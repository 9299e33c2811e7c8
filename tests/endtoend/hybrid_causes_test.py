#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Why a rank of a hybrid program is late: one slow thread, a long part of the master alone, a critical section, too many
threads for a core. The cause line names the construct and the thread, and the costs add up to the waits."""
import collections
import os
import re
import sys
import tempfile
import unittest

from support import LATECOMER, MPIEXEC, run, scan

CAUSES = os.environ.get("HYBRID_CAUSES", "")
LLVM = os.path.join(os.environ["LLVM"], "hybrid_causes_llvm") if os.environ["LLVM"] else ""
PROGRAMS = [program for program in (CAUSES, LLVM) if program]
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hybrid_causes.c")
STEPS, RUNS = 12, 8
# Others wait for this in MPI; the second metric has its costs.
WAIT, COSTS = "mpi_barrier_wait", "delay_barrier_aggregate"


def line_of(text):
    with open(SOURCE) as f:
        return [i for i, line in enumerate(f, 1) if text in line][0]


class HybridCauses(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name

    def record(self, program, reason):
        """The summary; values by metric and by metric, rank, thread and innermost region; by how much rank 1 was late."""
        experiment = os.path.join(self.directory, "experiment")
        done = scan("--yield", "--overwrite", "-e", experiment, MPIEXEC, "-n", "2", program, reason, str(STEPS),
                    cwd=self.directory)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = collections.Counter()
        for row in run([LATECOMER, "csv", experiment]).stdout.splitlines():
            if not row.startswith((WAIT + ",", COSTS + ",")):
                continue
            metric, path, _, _, rank, thread, value, _ = row.split(",")
            found[metric] += float(value)
            found[metric, rank, thread, re.sub(r".*/", "", path)] += float(value)
        late = int(re.search(r"^late (-?\d+)$", done.stdout, re.M)[1]) / 1e9
        return " ".join(done.stderr.split()), found, late

    def problem(self, program, reason, region, of_one, words, share=0.7):
        """What is wrong with one run; empty: nothing. At least this share of the time by which rank 1 was late is charged
        to it in the region. `of_one` says whether the first thread or another one has nearly all of that; None: neither."""
        text, found, late = self.record(program, reason)
        charged = collections.Counter()
        for key, value in found.items():
            if isinstance(key, tuple) and key[0] == COSTS and key[1] == "1" and key[3].startswith(region):
                charged[key[2]] += value
        # Costs close: all waits at the barrier have been charged to somebody.
        self.assertAlmostEqual(found[COSTS], found[WAIT], delta=1e-6)
        where, _, after = text[text.index("cause:"):].partition("made others wait")
        thread, most = charged.most_common(1)[0] if charged else ("", 0)
        if sum(charged.values()) < share * late:
            return "charged %s of %f s: %s" % (dict(charged), late, text)
        if of_one is not None and (most < 0.9 * sum(charged.values()) or (thread == "0") != (of_one == "first")):
            return "charged %s: %s" % (dict(charged), text)
        if region not in where or "(rank 1)" not in where or not re.search(words, where + after):
            return "cause: " + text
        return ""

    def check(self, reason, region, of_one=None, words=""):
        """On a busy machine other ranks are late, too. So one of some runs has to be right."""
        for program in PROGRAMS:
            problems = []
            for _ in range(RUNS):
                problems.append(self.problem(program, reason, region, of_one, words))
                if not problems[-1]:
                    break
            else:
                self.fail("\n".join(problems))

    def test_one_slow_thread(self):
        # GCC may give the call of its runtime the line before.
        line = line_of("#pragma omp parallel for")
        self.check("thread", "!$omp", "other",
                   r"loop > .*@hybrid_causes.c:(%d|%d) .*thread [12] of rank 1 has \d+ %% of its part" % (line - 1, line))

    # The computation after a region is that of the function which makes the next call.
    def test_a_long_serial_part(self):
        self.check("serial", "main", "first")

    def test_a_critical_section(self):
        self.check("lock", "!$omp critical")

    def test_too_many_threads(self):
        self.check("many", "!$omp parallel", None, "had no core")


if __name__ == "__main__":
    if not PROGRAMS:
        print("skipped: no compiler with OpenMP")
        sys.exit(0)
    unittest.main(argv=sys.argv[:1], verbosity=2)
