# SPDX-License-Identifier: BSD-3-Clause
"""A program in Python for python_test.py, which knows its functions and lines.

python_job.py mpi4py|LIBRARY [threads]: calls MPI with mpi4py, or in the given library with ctypes.
"""
import sys
import threading

import python_solver
from python_solver import barrier


def numbers(count):
    for i in range(count):
        barrier()
        yield i


def uneven():
    total = 0
    if python_solver.rank == 0:
        for i in range(2_000_000):
            total += i
    barrier()
    return total


def nested():
    def inner():
        barrier()
    inner()
    inner()


def deep(depth):
    if depth == 0:
        barrier()
    else:
        deep(depth - 1)


def größe():
    barrier()


def key(value):
    barrier()
    return value


def work(solver):
    for i in numbers(2):
        solver.step(i)
    uneven()
    nested()
    deep(3)
    größe()
    sorted([1], key=key)
    for text in ("barrier()", "text\nbarrier()"):
        exec(text)
    for name in ("first", "second"):
        # The code objects may be at the same address, one after the other.
        scope = {"barrier": barrier}
        exec("def %s():\n    barrier()\n%s()" % (name, name), scope)
        scope.clear()


def main():
    work(python_solver.Solver())
    if "threads" in sys.argv:
        thread = threading.Thread(target=numbers(1).__next__)
        thread.start()
        thread.join()
    python_solver.finalize()


main()
