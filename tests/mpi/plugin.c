/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin that loads_mpi loads. */
#include "conform.h"

int run(void);

int run(void) {
  int flag = 1, in = -1;
  OK(MPI_Initialized(&flag));
  CHECK(!flag);
  OK(MPI_Init(NULL, NULL));
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
  OK(MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &in, 1, MPI_INT,
                  (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK(in == (rank + size - 1) % size);
  records("MPI_SEND", 1);
  records("MPI_RECV", 1);
  write_expected();
  OK(MPI_Finalize());
  if (rank == 0) puts("ok");
  return 0;
}
