# SPDX-License-Identifier: BSD-3-Clause
"""Finds the parts of Latecomer: beside the scan that was called, or in a build of this checkout."""
import glob
import os

from . import elf


class Tools:
    """Absolute paths of the parts; library, yield_library, analyzer, latecomer, repair, stuck, watch, beside may be None.
    `libraries` has the measurement library of each MPI by name, its own first.

    All are in one place. It is the folder above the one where scan was called (an installation or
    build/PRESET), otherwise the first build of the checkout that scan belongs to.
    """

    def __init__(self, called):
        here = os.path.dirname(os.path.realpath(__file__))
        share = os.path.dirname(here)
        roots = [os.path.dirname(os.path.dirname(path))
                 for path in (os.path.abspath(called), os.path.realpath(called))]
        in_checkout = not os.path.exists(os.path.join(share, "settings.tsv"))
        source = os.path.dirname(share)
        if in_checkout:
            roots += [os.path.join(source, "build", preset)
                      for preset in ("release", "debug", "openmpi", "asan", "tsan")]
        root = next((r for r in roots if os.path.exists(os.path.join(r, "bin", "latecomer-analyzer"))),
                    roots[0])
        self.library = first(root, "lib*/liblatecomer.so", "lib*/*/liblatecomer.so")
        self.yield_library = first(root, "lib*/liblatecomer-yield.so", "lib*/*/liblatecomer-yield.so")
        self.analyzer = first(root, "bin/latecomer-analyzer")
        self.latecomer = first(root, "bin/latecomer")
        self.repair = first(root, "bin/latecomer-repair")
        self.stuck = first(root, "bin/latecomer-stuck")
        self.watch = first(root, "bin/latecomer-watch")
        self.beside = first(root, "bin/latecomer-beside")
        # The MPI of this installation. The measurement library itself names no MPI library, so the
        # analyzer's are read.
        self.mpi = elf.mpi_family(elf.Program(self.analyzer).libraries) if self.analyzer else None
        self.libraries = {self.mpi: self.library} if self.library else {}
        for family, name in elf.FAMILIES.items():
            found = first(root, "lib*/latecomer/%s/liblatecomer.so" % name, "lib*/*/latecomer/%s/liblatecomer.so" % name)
            if found:
                self.libraries.setdefault(family, found)
        self.settings = (os.path.join(source, "archive", "settings.tsv") if in_checkout else
                         os.path.join(share, "settings.tsv"))
        self.counters = os.path.join(os.path.dirname(self.settings), "counters.tsv")
        self.version = version(os.path.join(source, "CMakeLists.txt") if in_checkout else
                               os.path.join(share, "VERSION"))


def first(root, *patterns):
    for pattern in patterns:
        for path in sorted(glob.glob(os.path.join(glob.escape(root), pattern))):
            return path
    return None


def version(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    return text.split("project(Latecomer VERSION ")[-1].split()[0]
