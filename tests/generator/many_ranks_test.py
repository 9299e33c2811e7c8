#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""many_ranks_test.py MPIEXEC ANALYZER GENERATE: 4,096 ranks with wrong clocks, analyzed by two processes."""
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest

MPIEXEC, ANALYZER, GENERATE = sys.argv[1:4]
RANKS, SECONDS, MEBIBYTES = 4096, 250, 512


class ManyRanks(unittest.TestCase):
    def analyze(self, ranks_per_node, *more):
        """Statistics of the clocks; memory is checked as well."""
        with tempfile.TemporaryDirectory() as scratch:
            clocks, made, report = (os.path.join(scratch, name) for name in ("clocks", "run", "report"))
            with open(clocks, "w") as f:
                for n in range(RANKS // ranks_per_node):
                    f.write("node%d offset=%dus drift=%dppm wander=10ppm/5ms seed=%d\n"
                            % (n, n * 37 % 1000 - 500, n % 50 - 25, n))
            subprocess.run([GENERATE, "-n", str(RANKS), "-e", "2M", "--ranks-per-node", str(ranks_per_node),
                            "--clocks", clocks, "--offset-error", "1000", *more, made],
                           check=True, capture_output=True)
            done = subprocess.run([MPIEXEC, "-n", "2", ANALYZER, "-v", "-o", report, made],
                                  capture_output=True, text=True, timeout=SECONDS)
            self.assertEqual(done.returncode, 0, done.stderr)
            memory = re.search(r"peak memory ([\d.]+) MiB per process", done.stdout + done.stderr)
            self.assertLess(float(memory[1]), MEBIBYTES)
            with tarfile.open(report) as tar:
                return json.load(tar.extractfile("latecomer.json"))["clocks"]

    def check(self, clocks, nodes):
        self.assertEqual(clocks["count"], nodes)
        first, last = clocks["steps"][0], clocks["steps"][-1]
        self.assertGreater(first["messages"], 1000)
        self.assertEqual((last["messages"], last["collectives"]), (0, 0))

    def test_256_nodes(self):
        self.check(self.analyze(16), 256)

    def test_1024_nodes_on_four_metahosts(self):
        self.check(self.analyze(4, "--metahosts", "4"), 1024)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
