/* SPDX-License-Identifier: BSD-3-Clause */
/* Partitioned messages. */
#include "conform.h"

#if MPI_VERSION < 4
void partitioned(void) {
  if (rank == 0) skip_mpi_4();
}
#else
enum { kParts = 8, kPart = 16 };

void partitioned(void) {
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  static int out[kParts * kPart], in[kParts * kPart];
  MPI_Request requests[2];
  OK(MPI_Psend_init(out, kParts, kPart, MPI_INT, next, 70, MPI_COMM_WORLD, MPI_INFO_NULL,
                    &requests[0]));
  OK(MPI_Precv_init(in, kParts, kPart, MPI_INT, previous, 70, MPI_COMM_WORLD, MPI_INFO_NULL,
                    &requests[1]));
  for (int round = 0; round < 2; ++round) {
    memset(in, -1, sizeof in);
    OK(MPI_Startall(2, requests));
    for (int i = 0; i < kParts * kPart; ++i) out[i] = 1000 * rank + i + round;
    OK(MPI_Pready(0, requests[0]));
    OK(MPI_Pready_range(1, 3, requests[0]));
    OK(MPI_Pready_list(kParts - 4, (int[]){7, 6, 5, 4}, requests[0]));
    for (int part = 0; part < kParts; ++part) {
      for (int flag = 0; !flag;) OK(MPI_Parrived(requests[1], part, &flag));
      CHECK(in[part * kPart] == 1000 * previous + part * kPart + round);
    }
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK(requests[0] != MPI_REQUEST_NULL);
  }
  OK(MPI_Request_free(&requests[0]));
  OK(MPI_Request_free(&requests[1]));
  records("MPI_ISEND", 2);
  records("MPI_ISEND_COMPLETE", 2);
  records("MPI_IRECV_REQUEST", 2);
  records("MPI_IRECV", 2);
}
#endif
