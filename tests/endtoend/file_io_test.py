#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""MPI-IO: files, handles, operations and their bytes, as other readers see them."""
import collections
import os
import sys
import tempfile
import unittest

from support import LATECOMER, MPIEXEC, python_with_otf2, run, scan

PROGRAM, RANKS = os.environ["FILE_IO"], 2
READ = """
import otf2, sys
with otf2.reader.open(sys.argv[1]) as trace:
    for location, event in trace.events:
        kind = type(event).__name__
        if not kind.startswith("Io"):
            continue
        words = [location.group.name.split()[-1], kind]
        if hasattr(event, "handle"):
            words += [event.handle.file.name.rsplit("/", 1)[-1]]
        if kind == "IoDeleteFile":
            words += [event.file.name.rsplit("/", 1)[-1]]
        if kind == "IoOperationBegin":
            words += [str(event.mode).rsplit(".", 1)[-1], event.bytes_request, event.matching_id]
        if kind == "IoOperationComplete":
            words += [event.bytes_result, event.matching_id]
        print(*words)
"""


class FileIo(unittest.TestCase):
    def test_operations(self):
        with tempfile.TemporaryDirectory() as scratch:
            experiment = os.path.join(scratch, "experiment")
            done = scan("--yield", "-e", experiment, MPIEXEC, "-n", str(RANKS), PROGRAM, cwd=scratch)
            self.assertEqual(done.returncode, 0, done.stderr)
            anchor = experiment + "/traces.otf2"
            check = run(["otf2-print", "-A", "--silent", anchor])
            self.assertEqual((check.returncode, check.stderr), (0, ""))
            definitions = run(["otf2-print", "-G", anchor]).stdout
            read = run([python_with_otf2(), "-c", READ, anchor])
            self.assertEqual(read.returncode, 0, read.stderr)
            # A copy with corrected times has the same records.
            report, copy = os.path.join(scratch, "again.cubex"), os.path.join(scratch, "copy")
            again = run([MPIEXEC, "-n", "2", os.path.join(os.path.dirname(LATECOMER), "latecomer-analyzer"), "-q",
                         "-o", report, "--write-corrected", copy, experiment])
            self.assertEqual(again.returncode, 0, again.stderr)
            copied = run([python_with_otf2(), "-c", READ, copy + "/traces.otf2"]).stdout
            visits = run([LATECOMER, "csv", experiment]).stdout
        self.assertEqual(sorted(copied.splitlines()), sorted(read.stdout.splitlines()))
        self.assertEqual(definitions.count("IO_REGULAR_FILE"), 3)
        self.assertIn('"MPI-IO"', definitions)
        per_rank = [[], []]
        for line in read.stdout.splitlines():
            rank, *words = line.split()
            per_rank[int(rank)].append(words)
        for rank, rows in enumerate(per_rank):
            own = "zero.data" if rank == 0 else "other.data"
            began, asked, got = {}, collections.Counter(), collections.Counter()
            for row in rows:
                if row[0] == "IoOperationBegin":
                    began[row[4]] = (row[1], row[2])
                    asked[row[1], row[2]] += int(row[3])
                if row[0] == "IoOperationComplete":
                    got[began.pop(row[3])] += int(row[2])
            self.assertEqual(began, {})
            written = 1000 + 2000 + 8 + 92 + 11
            self.assertEqual(asked["together.data", "WRITE"], written)
            self.assertEqual(got["together.data", "WRITE"], written)
            self.assertEqual(asked["together.data", "READ"], 3000 + 200 + 30 + 7 + 100)
            self.assertEqual(got["together.data", "READ"], 3000 + 200 + 30 + 7)
            self.assertEqual(asked[own, "WRITE"], 10 + rank)
            self.assertEqual(got[own, "WRITE"], 10 + rank)
            kinds = collections.Counter((row[0], row[1]) for row in rows)
            self.assertEqual(kinds["IoSeek", "together.data"], 2)
            self.assertEqual(kinds["IoOperationIssued", "together.data"], 3)
            for kind in ("IoCreateHandle", "IoDestroyHandle"):
                self.assertEqual((kinds[kind, "together.data"], kinds[kind, own]), (1, 1))
            self.assertEqual(kinds["IoDeleteFile", own], 1)
            self.assertEqual(kinds["IoDeleteFile", "together.data"], 1 if rank == 0 else 0)
        self.assertIn("MPI_File_write_at_all", visits)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
