#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Clocks of emulated nodes, measured in real runs, against the truth.

usage: clocks_mpi_test.py BUILD MPIEXEC YIELD PROBE TRUTH RANKS
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from launching import setting  # noqa: E402

BUILD, MPIEXEC, YIELD, PROBE, TRUTH, RANKS = sys.argv[1:7]
RANKS = int(RANKS)
LIBRARY = os.path.join(BUILD, "lib", "liblatecomer.so")
REPAIR = os.path.join(BUILD, "bin", "latecomer-repair")

# Drifts are realistic, offsets far larger than real ones.
CLOCKS = """
n0
n1  offset=20ms    drift=30ppm
n2  offset=-1.5ms  drift=-25ppm
n3  offset=3s      drift=100ppm wander=0.001ppm/100ms seed=3
n4  offset=77us    drift=-80ppm
"""


def parts(metahosts=True):
    """A node per rank; the first half of them on one metahost."""
    found = []
    for rank in range(RANKS):
        extra = {"LATECOMER_NODE": f"n{rank}"}
        if metahosts:
            side = "A" if rank < (RANKS + 1) // 2 else "B"
            extra.update(LATECOMER_METAHOST_NAME=side, LATECOMER_METAHOST_ID=str(ord(side)))
        found.append((1, extra))
    return found


class Run:
    def __init__(self, directory, seconds, mode, processes, **environment):
        command = [MPIEXEC]
        for number, (ranks, extra, *wrapper) in enumerate(processes):
            command += [":"] if number else []
            command += ["-n", str(ranks)] + setting(MPIEXEC, "LD_PRELOAD", LIBRARY + ":" + YIELD)
            for name, value in extra.items():
                command += setting(MPIEXEC, name, value)
            command += wrapper[0] if wrapper else []
            command += [PROBE, str(seconds), mode]
        models = os.path.join(os.path.dirname(directory), "clocks.txt")
        with open(models, "w", encoding="utf-8") as file:
            file.write(CLOCKS)
        env = {k: v for k, v in os.environ.items() if not k.startswith("LATECOMER_")}
        env.update(LATECOMER_EXPERIMENT_DIRECTORY=directory, LATECOMER_KEEP_RECORDS="1",
                   LATECOMER_TIMER="monotonic", LATECOMER_TIMER_EMULATION=models)
        env.update(environment)
        done = subprocess.run(command, env=env, timeout=200, text=True, capture_output=True,
                              check=False)
        self.status, self.errors, self.schemes = done.returncode, done.stderr, {}
        self.elapsed = float(done.stdout) if mode != "kill" else None
        truth = subprocess.run([TRUTH, directory], text=True, capture_output=True, check=True)
        for line in truth.stdout.splitlines():
            found = {k: int(v) for k, v in re.findall(r"(\w+)=(-?\d+)", line)}
            self.schemes[line.split()[0]] = found
        self.regions = self.schemes.pop(line)["regions"]


class ClocksTest(unittest.TestCase):
    def setUp(self):
        self.base = tempfile.mkdtemp(prefix="latecomer.")
        self.directory = os.path.join(self.base, "experiment")

    def tearDown(self):
        shutil.rmtree(self.base)

    def run_probe(self, seconds, mode, processes=None, **environment):
        run = Run(self.directory, seconds, mode, processes or parts(), **environment)
        if mode != "kill":
            self.assertEqual((run.status, run.errors), (0, ""))
        for scheme, found in run.schemes.items():
            self.assertEqual(found["wrong"], 0, scheme)
        return run

    def test_measured_offsets_are_true_within_their_errors(self):
        run = self.run_probe(0.1, "world")
        if RANKS == 1:
            self.assertEqual(run.schemes, {})
            return
        self.assertEqual(list(run.schemes), ["hierarchical"])
        found = run.schemes["hierarchical"]
        self.assertEqual((found["measurements"], found["moments"]), (2 * (RANKS - 1), 2))
        # The wander of n3 amounts to less than a microsecond, however long the run takes.
        self.assertLessEqual(found["beyond"], 1000)
        self.assertEqual(run.regions, 0)

    def test_one_run_has_all_schemes(self):
        run = self.run_probe(0.1, "world", LATECOMER_SYNC="all")
        if RANKS == 1:
            return
        self.assertEqual(list(run.schemes), ["flat-single", "flat", "hierarchical"])
        self.assertEqual(run.schemes["flat-single"]["measurements"], RANKS - 1)
        for scheme in "flat", "hierarchical":
            self.assertEqual(run.schemes[scheme]["measurements"], 2 * (RANKS - 1))
            self.assertLessEqual(run.schemes[scheme]["beyond"], 1000)

    def test_each_scheme_alone(self):
        for scheme in "flat", "flat-single":
            run = self.run_probe(0, "world", LATECOMER_SYNC=scheme, LATECOMER_OVERWRITE="1")
            self.assertEqual(list(run.schemes), [] if RANKS == 1 else [scheme])

    def test_measurements_in_between(self):
        modes = {1: ["world"], 2: ["off", "rooted"], 3: ["dup", "off"], 5: ["world", "off"]}
        for mode in modes[RANKS]:
            run = self.run_probe(0.5, mode, LATECOMER_SYNC_INTERVAL="80ms",
                                 LATECOMER_OVERWRITE="1")
            if RANKS == 1:
                self.assertEqual(run.regions, 0)  # one clock is compared with no other one
                continue
            self.assertGreaterEqual(run.regions, 2, mode)
            # Measurements are at least the interval apart, or up to an eighth less where operations
            # got slower. They are not only at the beginning and the end.
            most = run.elapsed / 0.07 + 1
            self.assertLessEqual(run.regions, RANKS * most, mode)
            found = run.schemes["hierarchical"]
            self.assertGreaterEqual(found["moments"], 4, mode)
            self.assertLessEqual(found["moments"], 2 + most, mode)
            self.assertGreaterEqual(found["knots"], found["moments"], mode)
            self.assertLessEqual(found["beyond"], 1000, mode)

    def test_collectives_of_some_processes_do_not_count(self):
        run = self.run_probe(0.2, "part", LATECOMER_SYNC_INTERVAL="40ms")
        if RANKS > 1:
            self.assertEqual(run.schemes["hierarchical"]["moments"], 2)

    def test_no_measurements_in_between_where_they_are_off(self):
        run = self.run_probe(0.2, "world", LATECOMER_SYNC_INTERVAL="0")
        self.assertEqual(run.regions, 0)

    def test_a_killed_run_has_what_was_measured_so_far(self):
        run = self.run_probe(0.4, "kill", LATECOMER_SYNC_INTERVAL="80ms")
        if RANKS > 1:
            self.assertGreaterEqual(run.schemes["hierarchical"]["moments"], 3)
        repaired = subprocess.run([REPAIR, self.directory], text=True, capture_output=True,
                                  check=False)
        self.assertEqual(repaired.stderr, "")
        printed = subprocess.run(["otf2-print", "-G", os.path.join(self.directory, "traces.otf2")],
                                 text=True, capture_output=True, check=True).stdout
        self.assertEqual(printed.count("LATECOMER::CLOCK\""), RANKS + 1)

    def test_threads_may_use_duplicates_of_the_world_at_once(self):
        run = self.run_probe(0.2, "threads", LATECOMER_SYNC_INTERVAL="40ms")
        self.assertEqual(run.regions, 0)

    @unittest.skipIf(RANKS < 2, "needs two processes")
    def test_a_time_namespace_has_its_own_clock(self):
        shift = ["unshare", "-T", "--monotonic", "1000"]
        if subprocess.run(shift + ["true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no time namespaces here")
        processes = [(RANKS - 1, {}), (1, {}, shift)]
        run = Run(self.directory, 0, "world", processes, LATECOMER_TIMER_EMULATION="")
        self.assertEqual((run.status, run.errors), (0, ""))
        found = run.schemes["hierarchical"]
        self.assertEqual((found["measurements"], found["moments"]), (2, 2))
        log = os.path.join(self.directory, "records", f"{RANKS - 1}.def")
        with open(log, encoding="utf-8", errors="replace") as file:
            offsets = [int(line.split()[8]) for line in file if line.startswith("measured")]
        for offset in offsets:
            self.assertLess(abs(offset + 1000 * 10**9), 10**9)

    @unittest.skipIf(RANKS < 3, "needs a metahost with two nodes")
    def test_the_nodes_of_a_metahost_may_share_a_clock(self):
        processes = parts()
        for _, extra in processes[:(RANKS + 1) // 2]:
            extra["LATECOMER_METAHOST_GLOBAL_CLOCK"] = "1"
        run = self.run_probe(0, "world", processes)
        self.assertEqual(run.schemes["hierarchical"]["measurements"],
                         2 * (RANKS - (RANKS + 1) // 2))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
