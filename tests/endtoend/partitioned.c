/* SPDX-License-Identifier: BSD-3-Clause */
/* Partitioned messages around a ring, three times. Each time rank 0 is 300 ms late with its last
   partition. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/mpi/before_mpi_4.h"

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
#if MPI_VERSION >= 4
  enum { kParts = 8, kPart = 16 };
  static int out[kParts * kPart], in[kParts * kPart];
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  MPI_Request requests[2];
  MPI_Psend_init(out, kParts, kPart, MPI_INT, next, 70, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &requests[0]);
  MPI_Precv_init(in, kParts, kPart, MPI_INT, previous, 70, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &requests[1]);
  for (int round = 0; round < 3; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Startall(2, requests);
    MPI_Pready(0, requests[0]);
    MPI_Pready_range(1, 3, requests[0]);
    if (rank == 0) usleep(300000);
    MPI_Pready_list(kParts - 4, (int[]){7, 6, 5, 4}, requests[0]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  if (rank == 0) printf("done\n");
#else
  if (rank == 0) skip_mpi_4();
#endif
  MPI_Finalize();
  return 0;
}
