# SPDX-License-Identifier: BSD-3-Clause
"""Where the parts of Latecomer are: beside an installed scan, or in a build of this checkout."""
import glob
import os


class Tools:
    """Absolute paths; library, yield_library, analyzer, latecomer, repair may be None."""

    def __init__(self):
        here = os.path.dirname(os.path.realpath(__file__))
        installed = os.path.normpath(os.path.join(here, "..", "..", ".."))
        checkout = os.path.normpath(os.path.join(here, "..", ".."))
        roots = [installed] + [os.path.join(checkout, "build", preset)
                               for preset in ("release", "debug", "asan", "tsan")]
        self.library = first(roots, "lib*/liblatecomer.so", "lib*/*/liblatecomer.so")
        self.yield_library = first(roots, "lib*/liblatecomer-yield.so", "lib*/*/liblatecomer-yield.so")
        self.analyzer = first(roots, "bin/latecomer-analyzer")
        self.latecomer = first(roots, "bin/latecomer")
        self.repair = first(roots, "bin/latecomer-repair", "libexec/latecomer/latecomer-repair")
        self.settings = (existing(os.path.join(here, "..", "settings.tsv")) or
                         os.path.join(checkout, "archive", "settings.tsv"))
        self.version = version(os.path.join(here, "..", "VERSION"),
                               os.path.join(checkout, "CMakeLists.txt"))


def existing(path):
    return path if os.path.exists(path) else None


def first(roots, *patterns):
    for root in roots:
        for pattern in patterns:
            for path in sorted(glob.glob(os.path.join(root, pattern))):
                return path
    return None


def version(installed, cmake):
    if os.path.exists(installed):
        with open(installed) as f:
            return f.read().strip()
    with open(cmake) as f:
        return f.read().split("VERSION ", 2)[2].split()[0]
