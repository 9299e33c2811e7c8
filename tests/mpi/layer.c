/* SPDX-License-Identifier: BSD-3-Clause */
/* A profiling layer in a shared library, as tools and some programs have them. It counts calls and
   changes a result. */
#include <mpi.h>

int layer_sends, layer_inits, layer_finalizes;

int MPI_Init(int* argc, char*** argv) {
  ++layer_inits;
  return PMPI_Init(argc, argv);
}

int MPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size); /* not a call of the program */
  ++layer_sends;
  return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm) {
  const int result = PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm);
  if (datatype == MPI_INT && count == 1) *(int*)recvbuf *= 2;
  return result;
}

int MPI_Finalize(void) {
  ++layer_finalizes;
  return PMPI_Finalize();
}
