/* SPDX-License-Identifier: BSD-3-Clause */
/* Global sums with work in between: --sums N --ms MS --spread MS: rank r works MS + r * SPREAD. */
#include "app.h"

static void compute(double milliseconds) { work(milliseconds); }

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int sums = (int)option(argc, argv, "--sums", 20);
  const double ms = option(argc, argv, "--ms", 1), spread = option(argc, argv, "--spread", 0.5);
  int ok = 1;
  for (int i = 0; i < sums; ++i) {
    const long mine = rank;
    long all = 0;
    compute(ms + rank * spread);
    MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    ok = ok && all == (long)size * (size - 1) / 2;
  }
  const int status = verdict("compute_gsum", ok);
  MPI_Finalize();
  return status;
}
