#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Alltoallv and Alltoallw: the tracer's record of their counts, and its use by the analyzer."""
import json
import os
import re
import sys
import tempfile
import unittest

from support import LATECOMER, MPIEXEC, run, scan

PROGRAM, RANKS = os.environ["ALLTOALLV"], 3
END = re.compile(r"^(MPI_COLLECTIVE_END|NON_BLOCKING_COLLECTIVE_COMPLETE) +(\d+) .*?(ALLTOALL[VW])", re.M)


class Alltoallv(unittest.TestCase):
    def test_counts(self):
        with tempfile.TemporaryDirectory() as scratch:
            experiment = os.path.join(scratch, "experiment")
            done = scan("--yield", "-e", experiment, MPIEXEC, "-n", str(RANKS), PROGRAM)
            self.assertEqual(done.returncode, 0, done.stderr)
            printed = run(["otf2-print", experiment + "/traces.otf2"]).stdout
            shown = json.loads(run([LATECOMER, "show", "--json", experiment]).stdout)
        found = {rank: [] for rank in range(RANKS)}
        lines = printed.splitlines()
        for line, after in zip(lines, lines[1:] + [""]):
            match = END.match(line)
            if match:
                found[int(match[2])].append((match[3], "LATECOMER::ALL_COUNTS_POSITIVE" in after))
        # Rank 0 leaves out rank 1 in the last two, so neither of these ranks has the attribute.
        for rank in range(RANKS):
            self.assertEqual(found[rank], [("ALLTOALLV", True), ("ALLTOALLV", True), ("ALLTOALLW", True),
                                           ("ALLTOALLW", rank == 2), ("ALLTOALLV", rank == 2)], rank)
        waits = [state for state in shown["wait_states"] if state["metric"] == "mpi_wait_nxn"]
        self.assertEqual(len(waits), 1)
        self.assertEqual({path["call_path"][-1] for path in waits[0]["call_paths"]}, {"MPI_Alltoallv", "MPI_Wait"})
        # Two operations with waits of 200 + 100 ms, and a nonblocking one; ranks that share cores
        # may come later.
        self.assertGreater(waits[0]["seconds"], 0.060)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
