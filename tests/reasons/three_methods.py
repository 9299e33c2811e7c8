# SPDX-License-Identifier: BSD-3-Clause
"""Rank 0 has more work in one of three methods.

three_methods.py LIBRARY STEPS MILLISECONDS: calls MPI in the given library, without a package.
"""
import ctypes
import sys
import time

ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
library = ctypes.CDLL(None)  # with the functions that are preloaded
library.MPI_Init(None, None)
if hasattr(library, "ompi_mpi_comm_world"):
    world = ctypes.byref(ctypes.c_char.in_dll(library, "ompi_mpi_comm_world"))
else:
    world = 0x44000000  # of MPICH
number = ctypes.c_int()
library.MPI_Comm_rank(world, ctypes.byref(number))


class Grid:
    def __init__(self):
        self.cells = [0.0] * 2000

    def restrict(self, seconds):
        end = time.thread_time() + seconds
        while time.thread_time() < end:
            self.cells = [0.5 * (cell + 1) for cell in self.cells]

    def smooth(self, seconds):
        end = time.thread_time() + seconds
        cells = self.cells
        while time.thread_time() < end:
            for i in range(1, len(cells)):
                cells[i] = 0.25 * (cells[i - 1] + cells[i])

    def prolong(self, seconds):
        end = time.thread_time() + seconds
        while time.thread_time() < end:
            self.cells = [2 * (cell % 3) for cell in self.cells]


def main():
    steps, more = int(sys.argv[2]), 1e-3 * float(sys.argv[3]) * (number.value == 0)
    grid = Grid()
    library.MPI_Barrier(world)  # what comes after it is known to be in main()
    for step in range(steps):
        grid.restrict(0.002)
        grid.smooth(0.002 + more)
        grid.prolong(0.002)
        library.MPI_Barrier(world)
    if number.value == 0:
        print("late %.6f s" % (more * steps), flush=True)
    library.MPI_Finalize()


main()
