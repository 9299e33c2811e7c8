/* SPDX-License-Identifier: BSD-3-Clause */
/* Half round trips of short messages between every pair of ranks, and the rate of long ones:
 *   pair A B median M us min N us rate R MB/s
 * latency ROUNDS MEGABYTES */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kMostRounds = 10000, kMegabyte = 1000000 };

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void bounce(int first, int partner, char* data, int bytes) {
  if (first) {
    MPI_Send(data, bytes, MPI_CHAR, partner, 0, MPI_COMM_WORLD);
    MPI_Recv(data, 1, MPI_CHAR, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(data, bytes, MPI_CHAR, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(data, 1, MPI_CHAR, partner, 1, MPI_COMM_WORLD);
  }
}

static double half_round_trip(int first, int partner, char* data, int bytes) {
  const double begin = MPI_Wtime();
  bounce(first, partner, data, bytes);
  return (MPI_Wtime() - begin) / 2;
}

static void measure(int first, int partner, int rounds, int megabytes, int rank) {
  static double halves[kMostRounds];
  char byte = 0;
  for (int i = 0; i < 3; ++i) bounce(first, partner, &byte, 1);
  for (int i = 0; i < rounds; ++i) halves[i] = half_round_trip(first, partner, &byte, 1);
  qsort(halves, (size_t)rounds, sizeof(double), compare);
  double rate = 0;
  if (megabytes > 0) {
    char* data = calloc((size_t)megabytes, kMegabyte);
    rate = megabytes / (2 * half_round_trip(first, partner, data, megabytes * kMegabyte));
    free(data);
  }
  if (first) {
    printf("pair %d %d median %.1f us min %.1f us rate %.1f MB/s\n", rank, partner,
           halves[rounds / 2] * 1e6, halves[0] * 1e6, rate);
    fflush(stdout);
  }
}

/* A barrier in which processes sleep, so that the measuring processes have the machine for
   themselves. */
static void meet(void) {
  const struct timespec moment = {0, 500000};
  MPI_Request request;
  int done = 0;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (MPI_Test(&request, &done, MPI_STATUS_IGNORE); !done;
       MPI_Test(&request, &done, MPI_STATUS_IGNORE)) {
    nanosleep(&moment, NULL);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int rounds = argc > 1 ? atoi(argv[1]) : 100;
  if (rounds < 1 || rounds > kMostRounds) rounds = 100;
  const int megabytes = argc > 2 ? atoi(argv[2]) : 0;
  for (int a = 0; a < size; ++a) {
    for (int b = a + 1; b < size; ++b) {
      if (rank == a) measure(1, b, rounds, megabytes, rank);
      if (rank == b) measure(0, a, rounds, megabytes, rank);
      meet();
    }
  }
  MPI_Finalize();
  return 0;
}
