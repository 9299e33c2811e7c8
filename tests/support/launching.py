# SPDX-License-Identifier: BSD-3-Clause
"""Options that differ between launchers."""


def setting(mpiexec, name, value):
    """The options that set a variable for one part of an MPMD command line."""
    return ["-x", "%s=%s" % (name, value)] if is_open_mpi(mpiexec) else ["-env", name, value]


def is_open_mpi(mpiexec):
    return "openmpi" in mpiexec
