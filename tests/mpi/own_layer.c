/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with a profiling layer of its own: its MPI_Send and MPI_Barrier are called, and call
   PMPI; all else is as ever. */
#include "conform.h"

static int sends, barriers;

int MPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  ++sends;
  return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

int MPI_Barrier(MPI_Comm comm) {
  ++barriers;
  return PMPI_Barrier(comm);
}

int main(int argc, char** argv) {
  OK(MPI_Init(&argc, &argv));
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
  const int before = barriers;
  int in = -1;
  MPI_Request request;
  OK(MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &request));
  OK(MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  CHECK(sends == 1 && barriers == before + 1 && in == (rank + size - 1) % size);
  records("MPI_SEND", 0); /* not seen by the tracer */
  records("MPI_IRECV", 1);
  write_expected();
  OK(MPI_Finalize());
  CHECK(sends == 1 && barriers == 1);
  if (rank == 0) puts("ok");
  return 0;
}
