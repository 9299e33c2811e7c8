# SPDX-License-Identifier: BSD-3-Clause
"""Reads properties of a program file: how it is linked, and the libraries it names."""
import mmap
import os
import struct

PROGRAM, SHARED = 2, 3                # types of files; position-independent programs are SHARED
LOAD, DYNAMIC, INTERPRETER = 1, 2, 3  # program headers
NULL, NEEDED, STRINGS = 0, 1, 5       # entries of the dynamic section
LONGEST = 1 << 20                     # no dynamic section is longer; a damaged file may claim it

# Families of MPI, by the name that they have in paths.
FAMILIES = {"MPICH": "mpich", "Open MPI": "openmpi"}

# Every program with the measurement library linked in contains this name of a setting.
OURS = b"LATECOMER_EXPERIMENT_DIRECTORY"
# The function that AddressSanitizer asks for options, as it appears among the symbols of a program
# that defines it.
ANSWER = b"\0__asan_default_options\0"


class Program:
    """Properties of a program file.

      linkage: "dynamic", "static", or "other" if it is not a 64-bit ELF program (e.g. a script)
      libraries: names of the libraries that a dynamic program names itself
      records_itself: True for a static program with Latecomer's static library linked in
      answers_sanitizer: True for a dynamic one that defines options for AddressSanitizer's shared library"""

    def __init__(self, path):
        self.linkage, self.libraries, self.records_itself, self.answers_sanitizer = "other", [], False, False
        try:
            with open(path, "rb") as f:
                self.read(f)
                if self.linkage == "static" or any(map(is_sanitizer, self.libraries)):
                    with mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as everything:
                        self.records_itself = self.linkage == "static" and everything.find(OURS) >= 0
                        self.answers_sanitizer = self.linkage == "dynamic" and everything.find(ANSWER) >= 0
        except (OSError, ValueError, StopIteration, struct.error):
            pass  # cannot be read or is damaged: the system will say so when it starts the program

    def read(self, f):
        head = f.read(64)
        if head[:6] not in (b"\x7fELF\x02\x01", b"\x7fELF\x02\x02"):
            return
        order = "<" if head[5] == 1 else ">"
        kind, = struct.unpack_from(order + "H", head, 16)
        offset, = struct.unpack_from(order + "Q", head, 32)
        size, count = struct.unpack_from(order + "HH", head, 54)
        if kind not in (PROGRAM, SHARED) or count == 0:
            return
        f.seek(offset)
        table = f.read(min(size * count, LONGEST))
        # Fields: kind, flags, offset, address, physical address, size in the file.
        parts = [struct.unpack_from(order + "IIQQQQ", table, i * size) for i in range(count)]
        # A static position-independent program has a dynamic section, but no loader for libraries.
        self.linkage = "dynamic" if INTERPRETER in [part[0] for part in parts] else "static"
        for kind, _, start, _, _, length in parts:
            if kind == DYNAMIC:
                f.seek(start)
                self.libraries = needed(f, f.read(min(length, LONGEST)), parts, order)


def needed(f, section, parts, order):
    """The names of the libraries in the dynamic section."""
    entries = []
    for tag, value in struct.iter_unpack(order + "QQ", section):
        if tag == NULL:
            break
        entries.append((tag, value))
    address = next(value for tag, value in entries if tag == STRINGS)
    base = next(start + address - low for kind, _, start, low, _, length in parts
                if kind == LOAD and low <= address < low + length)
    names = []
    for tag, value in entries:
        if tag == NEEDED:
            f.seek(base + value)
            names.append(f.read(256).split(b"\0")[0].decode("utf-8", "replace"))
    return names


def is_sanitizer(library):
    """True for the shared library of AddressSanitizer, of GCC or of clang."""
    return library.startswith(("libasan.so", "libclang_rt.asan"))


def family_of_launcher(path):
    """The MPI that a launcher belongs to, by the name of its file; None: unknown."""
    name = os.path.basename(path)
    if name in ("orterun", "prterun") or "openmpi" in name:
        return "Open MPI"
    return "MPICH" if "hydra" in name or "mpich" in name else None


def mpi_family(libraries):
    """The MPI whose libraries are among these; None: none. Programs of two families cannot be
    mixed."""
    for name in libraries:
        if name.startswith(("libmpi.so.40", "libmpi.so.20", "libmpi_mpifh.so", "libmpi_usempi")):
            return "Open MPI"
        if name.startswith(("libmpich", "libmpi.so.12", "libmpifort.so.12", "libmpi_intel", "libmpi_cray")):
            return "MPICH"
    return None
