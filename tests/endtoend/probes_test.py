#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Waiting in probes: late senders there, and costs at the rank that made all others wait."""
import csv
import os
import re
import sys
import tempfile
import unittest

from support import LATECOMER, MPIEXEC, run, scan

PROGRAM = os.environ["PROBES"]
LOOPS = ("MPI_Iprobe", "MPI_Improbe")
PROBES = ("MPI_Probe", "MPI_Mprobe", *LOOPS)


class Probes(unittest.TestCase):
    def test_waits(self):
        with tempfile.TemporaryDirectory() as scratch:
            experiment = os.path.join(scratch, "experiment")
            done = scan("--yield", "-e", experiment, MPIEXEC, "-n", "3", PROGRAM)
            self.assertEqual(done.returncode, 0, done.stderr)
            table = run([LATECOMER, "csv", experiment])
        self.assertEqual(table.returncode, 0, table.stderr)
        values = {}
        for metric, path, _, _, rank, _, value, _ in csv.reader(
                line for line in table.stdout.splitlines() if re.match(r"(time,|mpi_|polling_|delay_)", line)):
            values[metric, path.split("/")[-1], int(rank)] = float(value)
        # Each probe of rank 1 waits for 0.3 s of rank 0, and so does each receive of rank 2. In a
        # loop of short calls the time between them is the program's. On a busy machine the time
        # after the send is long.
        for name in PROBES:
            inside = values["time", name, 1]
            self.assertGreater(values["mpi_latesender", name, 1], 0.3 * inside, name)
            if name not in LOOPS:
                self.assertGreater(values["mpi_latesender", name, 1], 0.05, name)
        self.assertNotIn(("mpi_latesender", "MPI_Mrecv", 1), values)
        for name in LOOPS:
            self.assertGreater(values["polling_latesender", name, 1],
                               0.9 * values["mpi_latesender", name, 1], name)
        # All of it is costs of rank 0: its own delays, and those that rank 1 passes on.
        waited = sum(v for (metric, _, _), v in values.items() if metric == "mpi_latesender")
        costs = [sum(v for (metric, _, rank), v in values.items()
                     if metric == "delay_latesender_aggregate" and rank == r) for r in range(3)]
        self.assertGreater(costs[0], 0.5 * waited, costs)
        self.assertGreater(costs[0], costs[1] + costs[2], costs)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
