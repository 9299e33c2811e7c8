/* SPDX-License-Identifier: BSD-3-Clause */
/* Pi by throwing darts: workers ask a master for packets of darts. A small function throws a few of
 * them. --packets P --throws T: calls of that function in a packet, --darts D: darts in a call. */
#include <math.h>

#include "seconds.h"
#include "tests/apps/app.h"

enum { kRequest = 1, kPacket = 2, kStop = 3 };

__attribute__((no_instrument_function)) static inline double random_number(
    unsigned long long* state) {
  *state = *state * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(*state >> 11) / 9007199254740992.0;
}

SMALL static long throw_darts(unsigned long long* state, long darts) {
  long hits = 0;
  for (long i = 0; i < darts; ++i) {
    const double x = random_number(state), y = random_number(state);
    if (x * x + y * y < 1) ++hits;
  }
  return hits;
}

static long master(int workers, int packets) {
  long total = 0;
  for (int next = 0, active = workers; active > 0; ++next) {
    long hits;
    MPI_Status status;
    MPI_Recv(&hits, 1, MPI_LONG, MPI_ANY_SOURCE, kRequest, MPI_COMM_WORLD, &status);
    total += hits;
    const int tag = next < packets ? kPacket : kStop;
    MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, tag, MPI_COMM_WORLD);
    if (tag == kStop) --active;
  }
  return total;
}

static void worker(long throws, long darts) {
  for (long hits = 0;;) {
    int packet;
    MPI_Status status;
    MPI_Send(&hits, 1, MPI_LONG, 0, kRequest, MPI_COMM_WORLD);
    MPI_Recv(&packet, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == kStop) return;
    unsigned long long state =
        (unsigned long long)packet * 6364136223846793005ull + 1442695040888963407ull;
    hits = 0;
    for (long i = 0; i < throws; ++i) hits += throw_darts(&state, darts);
  }
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int packets = (int)option(argc, argv, "--packets", 100);
  const long throws = (long)option(argc, argv, "--throws", 10000);
  const long darts = (long)option(argc, argv, "--darts", 5);
  double pi = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  if (rank == 0) {
    pi = (double)master(size - 1, packets) * 4 / ((double)packets * (double)throws * (double)darts);
  } else {
    worker(throws, darts);
  }
  const double seconds = MPI_Wtime() - begin;
  print_seconds(seconds);
  const int status = verdict("pi", rank != 0 || fabs(pi - M_PI) < 0.01);
  MPI_Finalize();
  return status;
}
