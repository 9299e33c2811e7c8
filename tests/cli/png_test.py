#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""latecomer clocks --png: the drawing of --svg as a picture, and the message if it cannot be made."""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from reference import archive_of  # noqa: E402

LATECOMER = os.environ["LATECOMER"]


class Png(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name
        self.archive = archive_of("waitstates", self.directory)
        self.picture = os.path.join(self.directory, "clocks.png")

    def clocks(self, *words, path=None):
        environment = dict(os.environ) if path is None else dict(os.environ, PATH=path)
        return subprocess.run([LATECOMER, "clocks", self.archive, *words], capture_output=True, env=environment,
                              timeout=120)

    def fake(self, script):
        """A directory with our replacement of rsvg-convert."""
        place = os.path.join(self.directory, "bin")
        os.mkdir(place)
        with open(os.path.join(place, "rsvg-convert"), "w") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(file.name, 0o755)
        return place

    def test_a_picture(self):
        if not shutil.which("rsvg-convert"):
            print("skipped: no rsvg-convert (package librsvg2-bin)")
            return
        done = self.clocks("--png", "-o", self.picture)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
        with open(self.picture, "rb") as file:
            data = file.read()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        # The picture is twice as large as the drawing.
        svg = self.clocks("--svg").stdout.decode()
        width, height = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg).groups()
        size = struct.unpack(">II", data[16:24])
        self.assertEqual(size, (round(2 * float(width)), round(2 * float(height))))
        # The picture is not empty: the pixels have many colours, most of them white.
        at, pixels = 8, b""
        while at < len(data):
            length, kind = struct.unpack(">I4s", data[at:at + 8])
            if kind == b"IDAT":
                pixels += data[at + 8:at + 8 + length]
            at += 12 + length
        self.assertGreater(len(set(zlib.decompress(pixels))), 20)
        again = self.clocks("--png", "-o", self.picture)
        self.assertEqual(again.returncode, 2)
        self.assertIn(b"exists already", again.stderr)
        piped = self.clocks("--png")
        self.assertEqual((piped.returncode, piped.stdout), (0, data))

    def failed(self, path, text):
        done = self.clocks("--png", "-o", self.picture, path=path)
        self.assertEqual((done.returncode, done.stdout), (3, b""))
        self.assertIn(text, done.stderr.decode().splitlines()[0])
        self.assertRegex(done.stderr.decode().splitlines()[1], "^hint:  .*--svg")
        self.assertFalse(os.path.exists(self.picture))

    def test_without_the_tool(self):
        self.failed(self.directory, "error: --png needs rsvg-convert, which is not installed")

    def test_a_tool_that_fails(self):
        self.failed(self.fake("exit 1\n"), "error: rsvg-convert made no picture of the drawing")

    def test_a_tool_that_writes_nothing(self):
        self.failed(self.fake("exit 0\n"), "error: rsvg-convert made no picture of the drawing")

    def test_a_tool_that_does_not_read(self):
        self.assertEqual(self.clocks("--png", path=self.fake("exec <&-; echo picture\n")).stdout, b"picture\n")


if __name__ == "__main__":
    unittest.main()
