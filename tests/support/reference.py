# SPDX-License-Identifier: BSD-3-Clause
"""The traces of tests/reference/data, and the results of other software for them."""
import os
import tarfile

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "reference", "data")
NAMES = ("npb-cg-S", "npb-lu-W", "waitstates")


def archive_of(name, scratch):
    """The directory of the archive with that name; a packed one is unpacked into a folder below
    `scratch`."""
    there = os.path.join(DATA, name, "archive")
    if os.path.isdir(there):
        return there
    with tarfile.open(there + ".tar.xz") as packed:
        packed.extractall(os.path.join(scratch, name))
    return os.path.join(scratch, name, "archive")


def expected(name, kind):
    """Name of the file with the values (kind json) or the statistics (stat)."""
    return os.path.join(DATA, name, "expected." + kind)
