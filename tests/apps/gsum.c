/* SPDX-License-Identifier: BSD-3-Clause */
/* Global sums one after another: --sums N. */
#include "app.h"

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int sums = (int)option(argc, argv, "--sums", 1000);
  int ok = 1;
  const double start = MPI_Wtime();
  for (int i = 0; i < sums; ++i) {
    const long mine = rank + i;
    long all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    ok = ok && all == (long)size * (size - 1) / 2 + (long)size * i;
  }
  if (rank == 0) printf("%.2f us per sum\n", (MPI_Wtime() - start) * 1e6 / sums);
  const int status = verdict("gsum", ok);
  MPI_Finalize();
  return status;
}
