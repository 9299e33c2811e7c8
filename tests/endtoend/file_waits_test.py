#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Collective calls on a file with a late rank: the wait states, their calls, and their causes."""
import collections
import json
import os
import sys
import tempfile
import unittest

from support import LATECOMER, MPIEXEC, analyze, quality, run, scan

PROGRAM = os.environ["FILE_WAITS"]


class FileWaits(unittest.TestCase):
    def test_waits(self):
        with tempfile.TemporaryDirectory() as scratch:
            experiment = os.path.join(scratch, "experiment")
            done = scan("--yield", "-e", experiment, MPIEXEC, "-n", "3", PROGRAM, cwd=scratch)
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = run([LATECOMER, "csv", experiment]).stdout
            shown = json.loads(run([LATECOMER, "show", "--json", experiment]).stdout)
            reports = []
            for processes in (1, 2, 3, 5):
                report = os.path.join(scratch, "report")
                self.assertEqual(analyze(experiment, processes, report).returncode, 0)
                with open(report, "rb") as f:
                    reports.append(f.read())
            self.assertEqual(reports.count(reports[0]), 4)
        self.assertEqual(quality(shown), {})
        found = collections.Counter()
        for line in rows.splitlines():
            if line.startswith(("mpi_mgmt_file_wait", "mpi_io_collective_wait", "delay_file,")):
                metric, path, _, _, rank, _, value, _ = line.split(",")
                found[metric, path.rsplit("/", 1)[-1], rank] += float(value)
                found[metric, rank] += float(value)
        # Each wait is 0.2 s, of which a busy machine may take some. Ranks 0 and 2 wait where the
        # file is opened. Ranks 0 and 1 wait three times where its view is set or it is written; the
        # last of these is a write. The delay is the work of the late rank.
        for rank in ("0", "2"):
            self.assertGreater(found["mpi_mgmt_file_wait", "MPI_File_open", rank], 0.05, found)
        written = sum(found["mpi_io_collective_wait", "MPI_File_write_all", rank] for rank in "01")
        viewed = sum(found["mpi_mgmt_file_wait", "MPI_File_set_view", rank] for rank in "01")
        self.assertGreater(written, 0.05, found)
        self.assertGreater(written + viewed, 0.2, found)
        self.assertGreater(found["delay_file", "1"], 0.05, found)
        self.assertGreater(found["delay_file", "2"], 0.2, found)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
