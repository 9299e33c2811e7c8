#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reading program files: intact ones of each kind, and damaged ones, which never raise an
exception."""
import os
import random
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, os.environ["SCRIPTS"])
sys.dont_write_bytecode = True
from scan_lib.elf import OURS, Program, mpi_family  # noqa: E402

ENDS, STATIC, STATIC_PIE, OTHER_MPI = (
    os.environ[name] for name in ("ENDS", "STATIC", "STATIC_PIE", "OTHER_MPI"))


class GoodFiles(unittest.TestCase):
    def test_dynamic(self):
        program = Program(ENDS)
        self.assertEqual(program.linkage, "dynamic")
        self.assertTrue(any(name.startswith("libc.so") for name in program.libraries), program.libraries)
        self.assertIsNotNone(mpi_family(program.libraries), program.libraries)
        self.assertFalse(program.records_itself)

    def test_other_mpi(self):
        program = Program(OTHER_MPI)
        self.assertEqual(program.linkage, "dynamic")
        library, family = (("libmpi.so.12", "MPICH") if mpi_family(Program(ENDS).libraries) == "Open MPI" else
                           ("libmpi.so.40", "Open MPI"))
        self.assertIn(library, program.libraries)
        self.assertEqual(mpi_family(program.libraries), family)

    def test_static(self):
        for path in (STATIC, STATIC_PIE):
            program = Program(path)
            self.assertEqual((program.linkage, program.libraries), ("static", []), path)
            self.assertFalse(program.records_itself, path)

    @unittest.skipUnless(os.environ["STATIC_RECORDING"], "no static MPI library here")
    def test_static_with_our_library(self):
        program = Program(os.environ["STATIC_RECORDING"])
        self.assertEqual(program.linkage, "static")
        self.assertTrue(program.records_itself)

    def test_what_is_no_program(self):
        for path in (__file__, os.path.dirname(__file__), "/nowhere", "/dev/null"):
            program = Program(path)
            self.assertEqual((program.linkage, program.libraries), ("other", []), path)


class Families(unittest.TestCase):
    def test_families(self):
        self.assertEqual(mpi_family(["libm.so.6", "libmpich.so.12"]), "MPICH")
        self.assertEqual(mpi_family(["libmpi.so.12"]), "MPICH")  # Intel MPI
        self.assertEqual(mpi_family(["libmpi_usempif08.so.40", "libmpi.so.40"]), "Open MPI")
        self.assertIsNone(mpi_family(["libmpiwrapper.so", "libc.so.6"]))


class ChangedFiles(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.NamedTemporaryFile()
        self.addCleanup(scratch.close)
        self.path = scratch.name

    def program(self, data):
        with open(self.path, "wb") as f:
            f.write(data)
        return Program(self.path)

    @staticmethod
    def read(path):
        with open(path, "rb") as f:
            return f.read()

    def test_our_name_in_the_file(self):
        """A static program records itself if it has the name of a setting; a dynamic one gets the
        library anyway."""
        self.assertTrue(self.program(self.read(STATIC) + OURS).records_itself)
        self.assertFalse(self.program(self.read(ENDS) + OURS).records_itself)
        self.assertFalse(self.program(b"#!/bin/sh\n" + OURS).records_itself)

    def test_objects_are_no_programs(self):
        data = bytearray(self.read(STATIC))
        struct.pack_into("<H", data, 16, 1)  # type of file: relocatable
        self.assertEqual(self.program(data).linkage, "other")

    def test_truncated(self):
        """Cuts at every length of the first 4096 bytes: a file without its headers is not a
        program."""
        for path in (ENDS, STATIC, STATIC_PIE, OTHER_MPI):
            self.program(self.read(path)[:4096])
            kinds = []
            for length in range(4096, -1, -1):
                os.truncate(self.path, length)
                kinds.insert(0, Program(self.path).linkage)
            whole = Program(path).linkage
            self.assertEqual(kinds[:64], ["other"] * 64)
            self.assertEqual(kinds[4096], whole)
            first = kinds.index(whole)
            self.assertEqual(kinds, ["other"] * first + [whole] * (4097 - first), path)

    def test_damaged_numbers(self):
        """Replaces each 8 bytes of the headers by numbers that make no sense."""
        data = self.read(OTHER_MPI)
        for value in (0, 1, 1 << 31, 1 << 62, 1 << 63, (1 << 64) - 1):
            for at in range(16, 1024, 8):
                self.program(data[:at] + struct.pack("<Q", value) + data[at + 8:])

    def test_damaged_dynamic_section(self):
        """Puts pseudo-random words after the headers, where the dynamic section is."""
        data, chance = self.read(OTHER_MPI), random.Random(20)
        offset, = struct.unpack_from("<Q", data, 32)
        parts = [struct.unpack_from("<IIQQQQ", data, offset + i * 56) for i in range(data[56])]
        start, length = next((part[2], part[5]) for part in parts if part[0] == 2)
        for _ in range(300):
            damaged = bytearray(data)
            for _ in range(3):
                struct.pack_into("<Q", damaged, start + 8 * chance.randrange(length // 8),
                                 chance.choice((0, 1, 5, 1 << 20, 1 << 62, (1 << 64) - 1)))
            self.program(damaged)


if __name__ == "__main__":
    unittest.main(verbosity=2)
