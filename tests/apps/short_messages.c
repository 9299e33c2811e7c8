/* SPDX-License-Identifier: BSD-3-Clause */
/* Many short messages between varying pairs of processes, as in the clock experiment on VIOLA.
 *
 * In each round some pairs, chosen by a seed, bounce messages of 8 bytes. All others sleep, so that
 * latencies are those of the network and not of a machine with too few cores. A round begins
 * at a time that all ranks know (--period after the one before), or later if its pair is not free.
 * --rounds R --messages M (each way, per round) --period MS --pairs N (side by side) --seed S
 * --near PERCENT: so many of the pairs are neighbors, ranks 2i and 2i+1 (the others: any two) */
#include <stdint.h>
#include <time.h>

#include "app.h"

enum { kMostRanks = 4096 };

static uint64_t state;

/* Pseudo-random numbers, the same on all ranks (xorshift). */
static int below(int limit) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (int)((state >> 11) % (uint64_t)limit);
}

/* The partner of this rank in the round, or -1. Every rank draws all pairs. */
static int draw_partner(int rank, int size, int pairs, int near) {
  static char taken[kMostRanks];
  memset(taken, 0, (size_t)size);
  int partner = -1;
  for (int i = 0; i < pairs; ++i) {
    int a = below(size), b = below(size);
    if (below(100) < near) b = a ^ 1;
    if (a == b || b >= size || taken[a] || taken[b]) continue;
    taken[a] = taken[b] = 1;
    if (rank == a) partner = b;
    if (rank == b) partner = a;
  }
  return partner;
}

static void sleep_until(double when) {
  const double left = when - MPI_Wtime();
  if (left <= 0) return;
  const struct timespec t = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
  nanosleep(&t, NULL);
}

/* Messages go there and back in turn; the content identifies the message. */
static int bounce(int rank, int partner, int round, int messages) {
  int ok = 1;
  for (int i = 0; i < messages; ++i) {
    int32_t out[2] = {round, i}, in[2];
    if (rank < partner) MPI_Send(out, 2, MPI_INT32_T, partner, 1, MPI_COMM_WORLD);
    MPI_Recv(in, 2, MPI_INT32_T, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank > partner) MPI_Send(out, 2, MPI_INT32_T, partner, 1, MPI_COMM_WORLD);
    ok = ok && in[0] == round && in[1] == i;
  }
  return ok;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2 || size > kMostRanks) {
    if (rank == 0) fprintf(stderr, "short_messages: needs 2 to %d ranks\n", kMostRanks);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int rounds = (int)option(argc, argv, "--rounds", 50);
  const int messages = (int)option(argc, argv, "--messages", 10);
  const double period = option(argc, argv, "--period", 5) * 1e-3;
  const int pairs = (int)option(argc, argv, "--pairs", 1);
  const int near = (int)option(argc, argv, "--near", 0);
  state = 0x9E3779B97F4A7C15u ^ (uint64_t)option(argc, argv, "--seed", 1);
  for (int i = 0; i < 10; ++i) below(2);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  int ok = 1;
  for (int round = 0; round < rounds; ++round) {
    const int partner = draw_partner(rank, size, pairs, near);
    if (partner < 0) continue;
    sleep_until(begin + round * period);
    ok = bounce(rank, partner, round, messages) && ok;
  }
  sleep_until(begin + rounds * period);
  const int status = verdict("short_messages", ok);
  MPI_Finalize();
  return status;
}
