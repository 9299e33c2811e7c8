#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The analyzer's memory is bounded by a multiple of the archive's size, whatever objects are
numerous in it.

Environment: ANALYZER, MAKE_LARGE
"""
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ANALYZER, MAKE_LARGE = os.environ["ANALYZER"], os.environ["MAKE_LARGE"]
BASE = 100 << 20  # without events it takes about 30 MiB
CHUNKS_AT = 12    # in an anchor file
MULTIPLE = 600  # documented in docs/limitations.md


def size_of(directory):
    return sum(file.stat().st_size for file in directory.rglob("*") if file.is_file())


def most_memory(command):
    """Status, and the largest resident memory of a process in bytes."""
    child = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, used.ru_maxrss * 1024


def set_chunks(archive, size):
    """Sets the sizes of chunks of events and of definitions in the anchor."""
    anchor = archive / "traces.otf2"
    content = bytearray(anchor.read_bytes())
    assert struct.unpack_from("<2Q", content, CHUNKS_AT) == (1 << 20, 256 << 10), "the anchor has another layout"
    struct.pack_into("<2Q", content, CHUNKS_AT, size, size)
    anchor.write_bytes(content)


class MemoryOfInput(unittest.TestCase):
    def check(self, case, count, without=None, chunk=None, options=()):
        with tempfile.TemporaryDirectory() as scratch:
            archive = Path(scratch) / "archive"
            subprocess.run([MAKE_LARGE, case, str(count), str(archive)], check=True)
            for file in archive.glob(without or "nothing"):
                file.unlink()
            if chunk is not None:
                set_chunks(archive, chunk)
            size = size_of(archive)
            status, memory = most_memory([ANALYZER, "-q", "-o", Path(scratch) / "report.cubex",
                                           *(option.format(scratch) for option in options), archive])
            print(f"{case} {count}: {size:,} bytes, {memory:,} bytes of memory", file=sys.stderr)
            self.assertIn(status, (0, 4))
            self.assertLess(memory, BASE + MULTIPLE * size)

    def test_locations(self):
        self.check("locations", 2000)

    def test_locations_without_definition_files(self):
        self.check("locations", 2000, "traces/*.def")

    def test_locations_with_large_chunks(self):
        for without in (None, "traces/*.def"):
            with self.subTest(without):
                self.check("locations", 2000, without, chunk=16 << 20)

    def test_corrected_copy(self):
        for chunk in (None, 16 << 20):
            with self.subTest(chunk):
                self.check("locations", 2000, chunk=chunk, options=("--write-corrected", "{}/corrected"))

    def test_threads(self):
        self.check("threads", 2000)

    def test_communicators(self):
        self.check("communicators", 200000)

    def test_intercommunicators(self):
        self.check("intercommunicators", 20000)

    def test_windows(self):
        self.check("windows", 200000)

    def test_files(self):
        self.check("files", 200000)

    def test_metahosts(self):
        self.check("metahosts", 300)

    def test_nested_nodes(self):
        self.check("nodes", 100000)

    def test_messages(self):
        for case in ("received_before_sent", "sent_between", "sent_before_received", "open_requests", "steps"):
            with self.subTest(case):
                self.check(case, 10000)

    def test_many_partners(self):
        self.check("all_to_all", 200)

    def test_collective_calls(self):
        for case in ("ended_before_begun", "open_collectives"):
            with self.subTest(case):
                self.check(case, 10000)

    def test_one_sided(self):
        for case in ("epochs_of_all", "open_transfers"):
            with self.subTest(case):
                self.check(case, 10000)

    def test_call_paths(self):
        for case in ("depth", "depth_of_calls", "regions"):
            with self.subTest(case):
                self.check(case, 50000)


if __name__ == "__main__":
    unittest.main()
