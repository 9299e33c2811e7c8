#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""MPI-IO: files, handles, operations and their bytes, as read by OTF2's own module."""
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
        if kind == "IoSeek":
            words += [event.offset_request, str(event.whence).rsplit(".", 1)[-1], event.offset_result]
        if kind == "IoOperationComplete":
            words += [event.bytes_result, event.matching_id]
        print(*words)
"""


class FileIo(unittest.TestCase):
    def test_operations(self):
        with tempfile.TemporaryDirectory() as scratch:
            experiment = os.path.join(scratch, "experiment")
            done = scan("--yield", "--files", "off", "-e", experiment, MPIEXEC, "-n", str(RANKS), PROGRAM, cwd=scratch)
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
            # Offsets are in bytes of the file, whatever unit the view has; -1: unknown.
            own_part, unknown = rank * 20000, 2 ** 64 - 1
            seeks = [tuple(row[2:]) for row in rows if row[0] == "IoSeek"]
            self.assertEqual(seeks[:-1], [tuple(map(str, s)) for s in (
                (own_part, "FROM_START", own_part), (-3000, "FROM_CURRENT", own_part), (96, "FROM_START", 96),
                (-32, "FROM_CURRENT", 64), (80, "FROM_START", 80), (8, "FROM_CURRENT", unknown))])
            self.assertEqual(seeks[-1][:2], ("-10", "FROM_END"))
            self.assertGreater(int(seeks[-1][2]), 20000)
            self.assertEqual(kinds["IoOperationIssued", "together.data"], 3)
            for kind in ("IoCreateHandle", "IoDestroyHandle"):
                self.assertEqual((kinds[kind, "together.data"], kinds[kind, own]), (1, 1))
            self.assertEqual(kinds["IoDeleteFile", own], 1)
            self.assertEqual(kinds["IoDeleteFile", "together.data"], 1 if rank == 0 else 0)
        self.assertIn("MPI_File_write_at_all", visits)
        # The report has the bytes. MPI_Wait and MPI_Test complete nothing else here, so they are
        # file I/O.
        sums = collections.Counter()
        for line in visits.splitlines():
            if line.startswith(("mpi_file_", "mpi_io", "mpi_point2point")):
                metric, path, _, _, rank, _, value, _ = line.split(",")
                sums[metric] += float(value)
                sums[metric, path.rsplit("/", 1)[-1]] += float(value)
        self.assertEqual(sums["mpi_file_irbytes"], 2 * (3000 + 200))
        self.assertEqual(sums["mpi_file_irbytes", "MPI_File_iread"], 2 * 200)
        self.assertEqual(sums["mpi_file_iwbytes"], 2 * (1000 + 8 + 11) + 10 + 11)
        self.assertEqual(sums["mpi_file_crbytes"], 2 * (30 + 7))
        self.assertEqual(sums["mpi_file_cwbytes"], 2 * (2000 + 92))
        for name in ("MPI_Wait", "MPI_Test"):
            self.assertGreater(sums["mpi_io_individual", name], 0, name)
            self.assertEqual(sums["mpi_point2point", name], 0, name)

    def test_threads(self):
        """Opened files are closed, and the operations in between are recorded, whatever files other
        threads open.

        Memory that one thread frees is given to another one at once, and so are handles."""
        with tempfile.TemporaryDirectory() as scratch:
            experiment = os.path.join(scratch, "experiment")
            done = scan("--yield", "-e", experiment, MPIEXEC, "-n", "1", os.environ["FILE_THREADS"], cwd=scratch,
                        env=dict(os.environ, GLIBC_TUNABLES="glibc.malloc.arena_max=1:glibc.malloc.tcache_count=0"))
            if done.stdout.startswith("skipped:"):
                self.skipTest(done.stdout)
            self.assertEqual(done.returncode, 0, done.stderr)
            read = run([python_with_otf2(), "-c", READ, experiment + "/traces.otf2"])
            self.assertEqual(read.returncode, 0, read.stderr)
        kinds, written = collections.Counter(), collections.Counter()
        for line in read.stdout.splitlines():
            _, kind, name, *words = line.split()
            kinds[kind, name] += 1
            if kind == "IoOperationComplete":
                written[name] += int(words[0])
        for number in range(4):
            name = "of_thread_%d.data" % number
            for kind in ("IoCreateHandle", "IoOperationBegin", "IoOperationComplete", "IoDestroyHandle"):
                self.assertEqual(kinds[kind, name], 100, kind)
            self.assertEqual(written[name], 100 * (number + 1))

    def test_blanks_around_a_name(self):
        if not os.environ["FORTRAN"]:
            self.skipTest("no Fortran compiler for this MPI")
        with tempfile.TemporaryDirectory() as scratch:
            program, experiment = os.path.join(scratch, "file_names"), os.path.join(scratch, "experiment")
            source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "file_names.f90")
            built = run(os.environ["FORTRAN"].split() + [source, "-o", program])
            self.assertEqual(built.returncode, 0, built.stderr)
            done = scan("--yield", "-e", experiment, MPIEXEC, "-n", "1", program, cwd=scratch)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("two words.data", os.listdir(scratch))
            definitions = run(["otf2-print", "-G", experiment + "/traces.otf2"]).stdout
            self.assertIn('"%s"' % os.path.join(os.path.realpath(scratch), "two words.data"), definitions)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
