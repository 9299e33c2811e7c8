/* SPDX-License-Identifier: BSD-3-Clause
   What every MPI program costs: starting, MPI_Init, MPI_Finalize. */
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Finalize();
  return 0;
}
