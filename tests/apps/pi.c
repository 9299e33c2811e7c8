/* SPDX-License-Identifier: BSD-3-Clause */
/* Pi by throwing darts: a master sends batches, workers throw. --batches B --darts D. */
#include <math.h>

#include "app.h"

enum { kBatch = 1, kDone = 2, kStop = 3 };

static long throw_darts(unsigned long long seed, long darts) {
  long hits = 0;
  unsigned long long s = seed * 6364136223846793005ull + 1442695040888963407ull;
  for (long i = 0; i < darts; ++i) {
    double xy[2];
    for (int k = 0; k < 2; ++k) {
      s = s * 6364136223846793005ull + 1442695040888963407ull;
      xy[k] = (double)(s >> 11) / 9007199254740992.0;
    }
    if (xy[0] * xy[0] + xy[1] * xy[1] < 1) ++hits;
  }
  return hits;
}

static long master(int workers, int batches) {
  long total = 0, hits;
  int next = 0, active = 0;
  MPI_Status status;
  for (int w = 1; w <= workers; ++w) {
    if (next < batches) {
      MPI_Send(&next, 1, MPI_INT, w, kBatch, MPI_COMM_WORLD);
      ++next;
      ++active;
    } else {
      MPI_Send(&next, 0, MPI_INT, w, kStop, MPI_COMM_WORLD);
    }
  }
  while (active > 0) {
    MPI_Recv(&hits, 1, MPI_LONG, MPI_ANY_SOURCE, kDone, MPI_COMM_WORLD, &status);
    total += hits;
    if (next < batches) {
      MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, kBatch, MPI_COMM_WORLD);
      ++next;
    } else {
      MPI_Send(&next, 0, MPI_INT, status.MPI_SOURCE, kStop, MPI_COMM_WORLD);
      --active;
    }
  }
  return total;
}

static void worker(long darts) {
  for (;;) {
    int batch;
    MPI_Status status;
    MPI_Recv(&batch, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == kStop) return;
    const long hits = throw_darts((unsigned long long)batch, darts);
    MPI_Send(&hits, 1, MPI_LONG, 0, kDone, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int batches = (int)option(argc, argv, "--batches", 40);
  const long darts = (long)option(argc, argv, "--darts", 100000);
  double pi = 0;
  if (size == 1) {
    for (int b = 0; b < batches; ++b) pi += (double)throw_darts((unsigned long long)b, darts);
  } else if (rank == 0) {
    pi = (double)master(size - 1, batches);
  } else {
    worker(darts);
  }
  pi *= 4.0 / ((double)batches * (double)darts);
  const int status = verdict("pi", rank != 0 || fabs(pi - M_PI) < 0.01);
  MPI_Finalize();
  return status;
}
