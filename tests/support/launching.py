# SPDX-License-Identifier: BSD-3-Clause
"""What launchers call differently."""


def setting(mpiexec, name, value):
    """The options that give one part of an MPMD command line a variable of its own."""
    return ["-x", "%s=%s" % (name, value)] if is_open_mpi(mpiexec) else ["-env", name, value]


def is_open_mpi(mpiexec):
    return "openmpi" in mpiexec
