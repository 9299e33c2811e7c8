/* SPDX-License-Identifier: BSD-3-Clause */
/* hybrid_causes REASON [STEPS]: rank 1 is late for MPI_Barrier in each step, by about 8 ms, because
   of its threads:
     thread   one thread of a loop has five times the work
     serial   the master computes alone after the parallel region
     lock     all threads do a part of their work one after the other
     many     its threads share one core, and have more to do than one of them could
   Prints how many nanoseconds rank 1 was later than rank 0, by its own clock. */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kThreads = 3 };

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
/* Passes time, whoever has the cores. */
static void wait_for(double milliseconds) {
  const struct timespec t = {0, (long)(milliseconds * 1e6)};
  nanosleep(&t, NULL);
}
/* Takes so much time on a core. */
static void compute(double milliseconds) {
  const double end = now(CLOCK_THREAD_CPUTIME_ID) + milliseconds * 1e-3;
  while (now(CLOCK_THREAD_CPUTIME_ID) < end) {
  }
}

static const char* reason;
static int late;
static int is(const char* name) { return late && strcmp(reason, name) == 0; }

static void many(void) {
#pragma omp parallel num_threads(8)
  compute(1.25);
}
static void loop(void) {
#pragma omp parallel for schedule(static, 1) num_threads(kThreads)
  for (int i = 0; i < kThreads; ++i) wait_for(is("thread") && i == 1 ? 10 : 2);
}
static void locked(void) {
#pragma omp parallel num_threads(kThreads)
  {
#pragma omp critical
    wait_for(8.0 / kThreads);
  }
}

static void step(void) {
  if (is("many")) return many();
  loop();
  if (is("lock")) locked();
  if (is("serial")) wait_for(8);
}

int main(int argc, char** argv) {
  int provided, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  reason = argc > 1 ? argv[1] : "thread";
  const int steps = argc > 2 ? atoi(argv[2]) : 20;
  late = rank == 1;
  if (is("many")) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  double mine = 0, both[2] = {0, 0};
  for (int i = 0; i < steps; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = now(CLOCK_MONOTONIC);
    step();
    mine += now(CLOCK_MONOTONIC) - begin;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Gather(&mine, 1, MPI_DOUBLE, both, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("late %.0f\n", (both[1] - both[0]) * 1e9);
  MPI_Finalize();
  return 0;
}
