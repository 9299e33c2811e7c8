#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Neighborhood operations: the ranks that wait for a late neighbor in each topology."""
import json
import os
import re
import sys
import tempfile
import unittest

from support import LATECOMER, MPIEXEC, analyze, run, scan

PROGRAM = os.environ["NEIGHBORS"]


class Neighbors(unittest.TestCase):
    def test_topologies(self):
        with tempfile.TemporaryDirectory() as scratch:
            experiment = os.path.join(scratch, "experiment")
            done = scan("--yield", "-e", experiment, MPIEXEC, "-n", "4", PROGRAM)
            self.assertEqual(done.returncode, 0, done.stderr)
            silent = run(["otf2-print", "-A", "--silent", experiment + "/traces.otf2"])
            self.assertEqual(silent.returncode, 0, silent.stderr)
            definitions = run(["otf2-print", "-G", experiment + "/traces.otf2"]).stdout
            shown = json.loads(run([LATECOMER, "show", "--json", experiment]).stdout)
            reports = []
            for processes in (1, 2, 3, 5):
                report = os.path.join(scratch, "report")
                self.assertEqual(analyze(experiment, processes, report).returncode, 0)
                with open(report, "rb") as f:
                    reports.append(f.read())
            self.assertEqual(reports.count(reports[0]), 4)
        lists = re.findall(r'LATECOMER::NEIGHBORS::(\d+)".*?"([\d,]*)" <', definitions)
        by_comm = {}
        for comm, sources in lists:
            by_comm.setdefault(comm, []).append(sources)
        self.assertEqual([by_comm[comm] for comm in sorted(by_comm, key=int)],
                         [["1", "0,2", "1,3", "2"], ["3", "0", "1", "2"], ["1,2,3", "0", "0", "0"]])
        waits = [state for state in shown["wait_states"] if state["metric"] == "mpi_late_neighbor"]
        self.assertEqual(len(waits), 1)
        paths = {path["call_path"][-1]: path["seconds"] for path in waits[0]["call_paths"]}
        # The waits are 300 ms each, of which other work on the machine may take some. The last one,
        # in which rank 0 gets nothing from rank 3, does not count for rank 0.
        for name in ("MPI_Neighbor_alltoall", "MPI_Neighbor_allgather", "MPI_Neighbor_alltoallv"):
            self.assertGreater(paths[name], 0.05, name)
        self.assertGreater(paths["MPI_Wait"], 0.1)
        ranks = {entry["rank"]: entry["seconds"] for entry in waits[0]["ranks"]}
        # The share would be two thirds if rank 1 waited for rank 3, too.
        self.assertGreater(ranks[0] + ranks[2], 0.75 * sum(ranks.values()), ranks)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
