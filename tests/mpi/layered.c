/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with a profiling layer in a shared library (layer.c). With the tracer in front of it,
   the layer is called as without. */
#include "conform.h"

extern int layer_sends, layer_inits, layer_finalizes;

int main(int argc, char** argv) {
  OK(MPI_Init(&argc, &argv));
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
  int in = -1, sum = 0;
  MPI_Request request;
  OK(MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &request));
  OK(MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  OK(MPI_Allreduce(&size, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  CHECK(in == (rank + size - 1) % size && sum == 2 * size * size);
  CHECK(layer_inits == 1 && layer_sends == 1 && layer_finalizes == 0);
  records("MPI_SEND", 1);
  records("MPI_IRECV", 1);
  write_expected();
  OK(MPI_Finalize());
  CHECK(layer_finalizes == 1);
  if (rank == 0) puts("ok");
  return 0;
}
