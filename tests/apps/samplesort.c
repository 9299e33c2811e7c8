/* SPDX-License-Identifier: BSD-3-Clause */
/* Sample sort: samples are gathered, splitters are broadcast, keys are exchanged by Alltoallv.
   --keys N: keys per rank. */
#include "app.h"

static int by_value(const void* a, const void* b) {
  const unsigned x = *(const unsigned*)a, y = *(const unsigned*)b;
  return x < y ? -1 : x > y;
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int keys = (int)option(argc, argv, "--keys", 20000);
  unsigned* key = malloc(sizeof(unsigned) * (size_t)keys);
  unsigned state = 12345u + (unsigned)rank * 7919u;
  unsigned long long sum = 0, sum_after = 0, totals[2], all[2];
  for (int i = 0; i < keys; ++i) {
    state = state * 1664525u + 1013904223u;
    key[i] = state;
    sum += state;
  }
  qsort(key, (size_t)keys, sizeof *key, by_value);

  /* Each rank takes as many samples as there are ranks; every size-th of all samples is a
     splitter. */
  unsigned* sample = malloc(sizeof(unsigned) * (size_t)size);
  unsigned* samples = malloc(sizeof(unsigned) * (size_t)size * (size_t)size);
  for (int i = 0; i < size; ++i) sample[i] = key[(long)keys * i / size];
  MPI_Gather(sample, size, MPI_UNSIGNED, samples, size, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    qsort(samples, (size_t)size * (size_t)size, sizeof *samples, by_value);
    for (int i = 0; i < size; ++i) sample[i] = samples[i * size];
  }
  MPI_Bcast(sample, size, MPI_UNSIGNED, 0, MPI_COMM_WORLD);

  int* counts = calloc((size_t)size * 4, sizeof(int));
  int *out = counts, *in = counts + size, *from = counts + 2 * size, *to = counts + 3 * size;
  for (int i = 0; i < keys; ++i) {
    int target = 0;
    while (target + 1 < size && key[i] >= sample[target + 1]) ++target;
    ++out[target];
  }
  MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 1; i < size; ++i) {
    from[i] = from[i - 1] + out[i - 1];
    to[i] = to[i - 1] + in[i - 1];
  }
  const int mine = to[size - 1] + in[size - 1];
  unsigned* sorted = malloc(sizeof(unsigned) * (size_t)(mine + 1));
  MPI_Alltoallv(key, out, from, MPI_UNSIGNED, sorted, in, to, MPI_UNSIGNED, MPI_COMM_WORLD);
  qsort(sorted, (size_t)mine, sizeof *sorted, by_value);

  /* The ranks are in order, and no key was lost. */
  int ok = 1;
  for (int i = 0; i < mine; ++i) sum_after += sorted[i];
  unsigned border = mine > 0 ? sorted[mine - 1] : 0, before = 0;
  MPI_Exscan(&border, &before, 1, MPI_UNSIGNED, MPI_MAX, MPI_COMM_WORLD);
  if (rank > 0 && mine > 0) ok = before <= sorted[0];
  totals[0] = sum;
  totals[1] = sum_after;
  MPI_Allreduce(totals, all, 2, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  ok = ok && all[0] == all[1];
  const int status = verdict("samplesort", ok);
  MPI_Finalize();
  return status;
}
