/* SPDX-License-Identifier: BSD-3-Clause */
/* Alltoallv and Alltoallw in which all ranks send to all, or rank 0 sends nothing to rank 1. Each
   rank comes 100 ms after the one before. */
#include <mpi.h>

enum { kMost = 16 };
static int rank, size, ones[kMost], places[kMost], bytes[kMost], out[kMost], in[kMost];
static MPI_Datatype types[kMost];

static void work(void) {
  const double end = MPI_Wtime() + 0.1 * rank;
  MPI_Barrier(MPI_COMM_WORLD);
  while (MPI_Wtime() < end) {
  }
}

static void everybody(void) {
  MPI_Request request;
  work();
  MPI_Alltoallv(out, ones, places, MPI_INT, in, ones, places, MPI_INT, MPI_COMM_WORLD);
  work();
  MPI_Alltoallv(MPI_IN_PLACE, 0, 0, MPI_INT, in, ones, places, MPI_INT, MPI_COMM_WORLD);
  work();
  MPI_Ialltoallw(out, ones, bytes, types, in, ones, bytes, types, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void some(void) {
  int sent[kMost], received[kMost];
  MPI_Request request;
  for (int i = 0; i < size; ++i) {
    sent[i] = rank == 0 && i == 1 ? 0 : 1;
    received[i] = rank == 1 && i == 0 ? 0 : 1;
  }
  work();
  MPI_Alltoallw(out, sent, bytes, types, in, received, bytes, types, MPI_COMM_WORLD);
  MPI_Ialltoallv(out, sent, places, MPI_INT, in, received, places, MPI_INT, MPI_COMM_WORLD,
                 &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < kMost; ++i) {
    ones[i] = 1;
    places[i] = i;
    bytes[i] = i * (int)sizeof(int);
    types[i] = MPI_INT;
  }
  everybody();
  some();
  MPI_Finalize();
  return 0;
}
