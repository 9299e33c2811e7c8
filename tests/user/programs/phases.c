/* SPDX-License-Identifier: BSD-3-Clause
   phases: not instrumented by the compiler, but it enters a region of its own from some point
   on. */
#include <latecomer.h>
#include <mpi.h>

LATECOMER_REGION(phase, "phase");

__attribute__((noinline)) static void set_up(int* argc, char*** argv) {
  int rank;
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void work(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  __asm__ volatile("" ::: "memory");
}

int main(int argc, char** argv) {
  set_up(&argc, &argv);
  work();
  LATECOMER_ENTER(phase);
  work();
  LATECOMER_LEAVE(phase);
  work();
  MPI_Finalize();
  return 0;
}
