/* SPDX-License-Identifier: BSD-3-Clause */
/* Unsuccessful tests and probes until something arrives; prints how many calls each rank made. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static int tests = 0, probes = 0, gets = 0, somes = 0;

int main(int argc, char** argv) {
  int rank = 0, flag = 0, count = 0, index = 0, value = 7;
  MPI_Request request;
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    for (int tag = 1; tag <= 4; ++tag) {
      usleep(60000);
      MPI_Send(&value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
    }
  } else if (rank == 1) {
    /* Each loop makes a streak of unsuccessful calls and a successful one. */
    for (flag = 0; !flag; ++probes) MPI_Iprobe(0, 1, MPI_COMM_WORLD, &flag, &status);
    MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &request);
    for (flag = 0; !flag; ++tests) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    MPI_Irecv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
    for (count = 0; count == 0; ++somes) {
      MPI_Testsome(1, &request, &count, &index, MPI_STATUSES_IGNORE);
    }
    MPI_Irecv(&value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &request);
    for (flag = 0; !flag; ++gets) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("MPI_Iprobe %d\nMPI_Test %d\nMPI_Testsome %d\nMPI_Request_get_status %d\n", probes,
           tests, somes, gets);
  }
  MPI_Finalize();
  return 0;
}
