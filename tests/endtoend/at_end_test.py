#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Calls in delete functions of attributes of MPI_COMM_SELF, inside MPI_Finalize. The program
behaves as without the tracer, and the calls are recorded."""
import json
import os
import tempfile
import unittest

from support import LATECOMER, MPIEXEC, run, scan

AT_END = os.environ["AT_END"]


class AtEnd(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.file, self.experiment = (os.path.join(scratch.name, name) for name in ("file", "experiment"))

    def recorded(self, *more):
        alone = run([MPIEXEC, "-n", "2", AT_END, self.file, *more])
        self.assertEqual(alone.returncode, 0, alone.stderr)
        os.remove(self.file)
        done = scan("--yield", "-e", self.experiment, MPIEXEC, "-n", "2", AT_END, self.file, *more)
        self.assertEqual((done.returncode, done.stdout), (0, alone.stdout), done.stderr)
        self.assertEqual(os.path.getsize(self.file), 2000)
        self.assertNotIn("partial", done.stderr)
        report = json.loads(run([LATECOMER, "json", self.experiment]).stdout)
        names = {path["id"]: path["names"] for path in report["call_paths"]}
        found = {}
        for row in report["values"]:
            if row["metric"] in ("visits", "mpi_file_cwbytes"):
                found[row["metric"], names[row["call_path"]][-1]] = row["values"], names[row["call_path"]]
        return found

    def test_with_an_open_session(self):
        """MPICH deletes them at the session's end: the run ends as without the tracer, and its
        trace is complete."""
        self.assertEqual(self.recorded("open")["visits", "MPI_Finalize"][0], [1, 1])

    def test_recorded(self):
        found = self.recorded()
        for call, function in (("MPI_File_write_at_all", "close_file"), ("MPI_File_close", "close_file"), ("MPI_Allreduce", "add_up")):
            values, names = found["visits", call]
            self.assertEqual(values, [1, 1], call)
            self.assertEqual(names[-2:], [function, call])
        self.assertEqual(found["mpi_file_cwbytes", "MPI_File_write_at_all"][0], [1000, 1000])
        values, names = found["visits", "MPI_Finalize"]
        self.assertEqual((values, names[-2:]), ([1, 1], ["main", "MPI_Finalize"]))
        self.assertEqual({name for kind, name in found if kind == "visits"},
                         {"endtoend_at_end", "main", "add_up", "close_file", "MPI_Init", "MPI_Comm_rank", "MPI_File_open", "MPI_Initialized",
                          "MPI_Finalized", "MPI_Comm_create_keyval", "MPI_Comm_set_attr", "MPI_Allreduce", "MPI_File_write_at_all",
                          "MPI_File_close", "MPI_Finalize"})


if __name__ == "__main__":
    unittest.main()
