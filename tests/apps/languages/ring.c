/* SPDX-License-Identifier: BSD-3-Clause */
/* The same messages in C, C++ and three Fortran interfaces: a ring of blocking, nonblocking and
 * persistent messages, wait-any, a split communicator, a broadcast, an allreduce and a barrier. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, size, value, got = -1, sum = 0, index, half_rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  MPI_Request requests[2];
  MPI_Status status;
  MPI_Comm half;
  value = rank;
  MPI_Sendrecv(&value, 1, MPI_INT, right, 1, &got, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &status);
  int ok = got == left && status.MPI_SOURCE == left;
  MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&value, 1, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Irecv(&got, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Send(&value, 1, MPI_INT, right, 3, MPI_COMM_WORLD);
  MPI_Waitany(1, requests, &index, MPI_STATUS_IGNORE);
  MPI_Recv_init(&got, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(&value, 1, MPI_INT, right, 4, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 2; ++i) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_rank(half, &half_rank);
  MPI_Bcast(&value, 1, MPI_INT, 0, half);
  MPI_Comm_free(&half);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  ok = ok && sum == size * (size - 1) / 2 && got == left && value == rank % 2;
  if (!ok) printf("WRONG RESULT\n");
  MPI_Finalize();
  return ok ? 0 : 1;
}
