/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with its own profiling layer: its MPI_Send and MPI_Barrier are called, and call
   PMPI; everything else is unchanged. With OWN_ENDS it also has its own MPI_Init and MPI_Finalize,
   like programs that are linked with a profiling library. */
#include "conform.h"

static int sends, barriers;
#ifdef OTHER_LAYER /* layer.c, in a shared library */
extern int layer_sends;
#endif

int MPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  ++sends;
  return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

int MPI_Barrier(MPI_Comm comm) {
  ++barriers;
  return PMPI_Barrier(comm);
}

#ifdef OWN_ENDS
static int begins, ends;

int MPI_Init(int* argc, char*** argv) {
  ++begins;
  return PMPI_Init(argc, argv);
}

int MPI_Finalize(void) {
  ++ends;
  return PMPI_Finalize();
}
#endif

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
  int none = 0; /* the program has no MPI_Bcast of its own: not recorded */
  OK(PMPI_Bcast(&none, 1, MPI_INT, 0, MPI_COMM_WORLD));
  CHECK(sends == 1 && barriers == before + 1 && in == (rank + size - 1) % size);
#ifdef OTHER_LAYER
  CHECK(layer_sends == 0); /* no call reaches it through PMPI, as without recording */
#endif
  records("MPI_SEND", 1);
  records("MPI_IRECV", 1);
  records("MPI_COLLECTIVE_END", 3); /* MPI_Init, MPI_Barrier, MPI_Finalize */
  write_expected();
  OK(MPI_Finalize());
  CHECK(sends == 1 && barriers == 1);
#ifdef OWN_ENDS
  CHECK(begins == 1 && ends == 1);
#endif
  if (rank == 0) puts("ok");
  return 0;
}
