#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files outside MPI: handles, operations and their bytes, as read by OTF2's own module; the same
output with and without the measurement."""
import collections
import os
import re
import tempfile
import unittest

from support import LATECOMER, MPIEXEC, python_with_otf2, run, scan

PROGRAM, RANKS = os.environ["FILES"], 2
STEPS, BLOCK, BLOCKS, LINES = 20, 1 << 16, 8, 20000
READ = """
import otf2, sys
with otf2.reader.open(sys.argv[1]) as trace:
    inside = {}
    for location, event in trace.events:
        kind = type(event).__name__
        rank = location.group.name.split()[-1]
        if kind == "Enter":
            inside.setdefault(rank, []).append(event.region)
            role = str(event.region.region_role).rsplit(".", 1)[-1]
            if role.startswith("FILE_IO"):
                print(rank, kind, event.region.name, role)
        if kind == "Leave":
            inside[rank].pop()
        if not kind.startswith("Io"):
            continue
        words = [rank, kind, event.handle.file.name.rsplit("/", 1)[-1], event.handle.io_paradigm.identification]
        words.append(inside[rank][-1].name)
        if kind == "IoOperationBegin":
            words += [str(event.mode).rsplit(".", 1)[-1], event.bytes_request]
        if kind == "IoOperationComplete":
            words += [event.bytes_result]
        print(*words)
"""


class Files(unittest.TestCase):
    def record(self, scratch, *arguments, files="on"):
        experiment = os.path.join(scratch, "experiment")
        done = scan("--yield", "--files", files, "-e", experiment, MPIEXEC, "-n", str(RANKS), PROGRAM, *arguments,
                    cwd=scratch)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("line 19999", done.stdout)
        self.assertEqual(done.stdout.count("\n"), RANKS * LINES)
        check = run(["otf2-print", "-A", "--silent", experiment + "/traces.otf2"])
        self.assertEqual((check.returncode, check.stderr), (0, ""))
        return experiment

    def events(self, experiment):
        read = run([python_with_otf2(), "-c", READ, experiment + "/traces.otf2"])
        self.assertEqual(read.returncode, 0, read.stderr)
        return [line.split() for line in read.stdout.splitlines()]

    def check(self, experiment):
        rows = self.events(experiment)
        regions = collections.Counter(tuple(row[:1] + row[2:]) for row in rows if row[1] == "Enter")
        for rank in ("0", "1"):
            stores = STEPS // 5 if rank == "0" else 0
            self.assertEqual(regions[rank, "write", "FILE_IO"], stores * BLOCKS)
            self.assertEqual(regions[rank, "fsync", "FILE_IO"], stores)
            self.assertEqual(regions[rank, "read", "FILE_IO"], BLOCKS + 1)
            self.assertEqual(regions[rank, "fopen", "FILE_IO_METADATA"], 2)
        moved, handles = collections.Counter(), collections.Counter()
        for rank, kind, name, paradigm, region, *words in (row for row in rows if row[1].startswith("Io")):
            if kind == "IoOperationComplete":
                moved[rank, name, paradigm, region] += int(words[0])
            if kind in ("IoCreateHandle", "IoDestroyHandle"):
                handles[rank, name, kind] += 1
        lines = "".join("line %d\n" % i for i in range(LINES))
        printed = "".join("rank 0 line %d\n" % i for i in range(LINES))
        for rank in ("0", "1"):
            stores = STEPS // 5 if rank == "0" else 0
            self.assertEqual(moved[rank, "out.bin", "POSIX", "write"], stores * BLOCKS * BLOCK)
            self.assertEqual(moved[rank, "out.bin", "POSIX", "read"], BLOCKS * BLOCK)
            text = "text." + rank
            self.assertEqual(moved[rank, text, "ISOC", "fprintf"] + moved[rank, text, "ISOC", "fclose"], len(lines))
            self.assertEqual(moved[rank, text, "ISOC", "fgets"], len(lines))
            self.assertEqual(moved[rank, "stdout", "ISOC", "printf"] + moved[rank, "stdout", "ISOC", "fflush"],
                             len(printed))
            for kind in ("IoCreateHandle", "IoDestroyHandle"):
                self.assertEqual(handles[rank, text, kind], 2)
                self.assertEqual(handles[rank, "out.bin", kind], stores + 1)
        self.assertEqual({row[2] for row in rows if row[1].startswith("Io")} - {"null"},
                         {"out.bin", "text.0", "text.1", "stdout"})

    def test_operations(self):
        with tempfile.TemporaryDirectory() as scratch:
            experiment = self.record(scratch)
            self.check(experiment)
            definitions = run(["otf2-print", "-G", experiment + "/traces.otf2"]).stdout
            files = re.findall(r'^IO_REGULAR_FILE .*Name: "(.*?)"', definitions, re.MULTILINE)
            self.assertEqual(files.count(os.path.join(os.path.realpath(scratch), "out.bin")), 1)
            self.assertEqual(definitions.count("IO_PRE_CREATED_HANDLE_STATE"), 1)
            properties = run(["otf2-print", "-A", "-G", experiment + "/traces.otf2"]).stdout
            self.assertIn("LATECOMER::FILE_CALLS_IN_MEMORY", properties)
            self.assertIn("store/fsync", run([LATECOMER, "csv", experiment]).stdout)
            shown = run([LATECOMER, "show", experiment]).stdout
            self.assertRegex(shown, r"(it|rank \d) (writes|stores|opens and closes) (out.bin|stdout): ")

    def test_closing_all_descriptors(self):
        with tempfile.TemporaryDirectory() as scratch:
            self.check(self.record(scratch, "closes"))

    def test_off(self):
        with tempfile.TemporaryDirectory() as scratch:
            self.assertEqual(self.events(self.record(scratch, files="off")), [])


if __name__ == "__main__":
    unittest.main()
