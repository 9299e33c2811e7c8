/* SPDX-License-Identifier: BSD-3-Clause */
/* The time of a part of the program on each rank, to compare with what an analysis finds. */
#ifndef LATECOMER_TESTS_BENCH_SECONDS_H
#define LATECOMER_TESTS_BENCH_SECONDS_H

#include <mpi.h>
#include <stdio.h>

#define SMALL __attribute__((noinline)) /* the same calls with and without instrumentation */

/* Rank 0 prints a line per rank: its number, and the seconds that it gives. At most 64 ranks. */
static inline void print_seconds(double mine) {
  double all[64];
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Gather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    for (int r = 0; r < size; ++r) printf("rank %d: %.9f s\n", r, all[r]);
  }
}

#endif
