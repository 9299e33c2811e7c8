/* SPDX-License-Identifier: BSD-3-Clause
   An MPI program that only calls MPI_Init and MPI_Finalize: the cost that every program has. */
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Finalize();
  return 0;
}
