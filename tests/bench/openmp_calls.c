/* SPDX-License-Identifier: BSD-3-Clause
   openmp_calls [REPETITIONS [THREADS]]: nanoseconds per construct of OpenMP on one process, the
   best of some rounds. The difference between runs with and without the preloaded library is the
   cost of recording. With one thread nothing waits, so the difference is the cost of the records.
   With more threads it is also what these delay. Prints lines of "name reads events ns cpu". Reads
   is the number of times that a thread reads the clock for the construct. An event is an enter with
   its leave, and those at the end of a construct have one read together. ns is the time of one
   turn, and cpu the processor time of all threads in it. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kRounds = 7 };

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int threads = 1;
static volatile int sink;
static omp_lock_t lock;

static void nothing(void) {}
static void barrier(void) {
#pragma omp barrier
}
static void loop(void) {
#pragma omp for schedule(dynamic, 1)
  for (int i = 0; i < threads; ++i) sink = i;
}
static void loop_nowait(void) {
#pragma omp for schedule(dynamic, 1) nowait
  for (int i = 0; i < threads; ++i) sink = i;
}
static void single(void) {
#pragma omp single
  sink = 1;
  sink = 2;
}
static void critical(void) {
#pragma omp critical
  sink = 1;
}
static void set_lock(void) {
  omp_set_lock(&lock);
  sink = 1;
  omp_unset_lock(&lock);
}
static void task(void) {
#pragma omp task
  sink = 1;
}
static void taskwait(void) {
#pragma omp taskwait
}
static void region(void) {
#pragma omp parallel num_threads(threads)
  sink = 1;
}

struct times {
  double wall, cpu;
};
static void keep_best(struct times* best, struct times begin, int repetitions) {
  const double wall = (now(CLOCK_MONOTONIC) - begin.wall) / repetitions;
  const double cpu = (now(CLOCK_PROCESS_CPUTIME_ID) - begin.cpu) / repetitions;
  if (wall < best->wall) *best = (struct times){wall, cpu};
}
static struct times begin(void) {
  return (struct times){now(CLOCK_MONOTONIC), now(CLOCK_PROCESS_CPUTIME_ID)};
}
static void print(const char* name, int reads, int events, struct times best) {
  printf("%s %d %d %.2f %.2f\n", name, reads, events, best.wall, best.cpu);
}

/* A construct in one long region. */
static void measure(const char* name, int reads, int events, void (*turn)(void), int repetitions) {
  struct times best = {1e30, 1e30};
  for (int i = 0; i < kRounds; ++i) {
#pragma omp parallel num_threads(threads)
    {
      struct times since = {0, 0};
#pragma omp barrier
#pragma omp master
      since = begin();
      for (int k = 0; k < repetitions; ++k) turn();
#pragma omp master
      keep_best(&best, since, repetitions);
    }
  }
  print(name, reads, events, best);
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 20000;
  threads = argc > 2 ? atoi(argv[2]) : 1;
  MPI_Init(&argc, &argv);
  omp_init_lock(&lock);
  region(); /* threads begin here */
  measure("nothing", 0, 0, nothing, n);
  measure("barrier", 2, 1, barrier, n);
  measure("loop", 3, 2, loop, n);
  measure("loop_nowait", 2, 1, loop_nowait, n);
  measure("single", 4, 2, single, n);
  measure("critical", 4, 2, critical, n);
  measure("set_lock", 0, 0, set_lock, n);
  measure("task", 3, 1, task, n); /* its creation, too */
  measure("taskwait", 2, 1, taskwait, n);
  struct times best = {1e30, 1e30};
  for (int i = 0; i < kRounds; ++i) {
    const struct times since = begin();
    for (int k = 0; k < n; ++k) region();
    keep_best(&best, since, n);
  }
  print("region", 4, 2, best);
  MPI_Finalize();
  return 0;
}
