# SPDX-License-Identifier: BSD-3-Clause
"""MPI for python_job.py, without any function of Python around it, and a class."""
import sys

if sys.argv[1] == "mpi4py":
    from mpi4py import MPI
    barrier = MPI.COMM_WORLD.Barrier
    rank = MPI.COMM_WORLD.rank
    finalize = MPI.Finalize
else:
    import ctypes
    import functools

    kMultiple = 3
    ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
    library = ctypes.CDLL(None)  # with the functions that are preloaded
    library.MPI_Init_thread(None, None, kMultiple, ctypes.byref(ctypes.c_int()))
    if hasattr(library, "ompi_mpi_comm_world"):
        world = ctypes.byref(ctypes.c_char.in_dll(library, "ompi_mpi_comm_world"))
    else:
        world = 0x44000000  # of MPICH
    barrier = functools.partial(library.MPI_Barrier, world)
    number = ctypes.c_int()
    library.MPI_Comm_rank(world, ctypes.byref(number))
    rank = number.value
    finalize = library.MPI_Finalize


class Solver:
    def step(self, number):
        self.exchange()
        barrier()

    def exchange(self):
        [barrier() for i in range(1)]
