/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of a user of the installation: rank 0 comes 0.1 s late to the barrier in its region. */
#include <latecomer.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

LATECOMER_REGION(meeting, "meeting");

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) usleep(100000);
  LATECOMER_ENTER(meeting);
  MPI_Barrier(MPI_COMM_WORLD);
  LATECOMER_LEAVE(meeting);
  if (rank == 0) printf("met\n");
  MPI_Finalize();
  return 0;
}
