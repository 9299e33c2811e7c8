// SPDX-License-Identifier: BSD-3-Clause
// openmp_waits: threads that wait for each other in known places, for known times.
//
// Delays are sleeps, so the threads need no core of their own. The program measures when threads
// arrive, and prints the sum of their waits in nanoseconds:
//
//   region 12345678      at the end of a parallel region
//   barrier ...          at a barrier
//   loop ...             at the end of a loop
//   critical ...         for a critical section
//   tasks ...            at the end of a parallel region, where threads execute tasks before they wait
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

#include "delays.h"

// GCC gives a parallel region the line of its call if its function was inlined, and that of its
// function if it uses none of its variables.
#define NOINLINE __attribute__((noinline))
#define THREADS 3

static long long arrived[THREADS];

// All wait for the last one.
static long long waits(void) {
  long long last = 0, sum = 0;
  for (int i = 0; i < THREADS; ++i) last = arrived[i] > last ? arrived[i] : last;
  for (int i = 0; i < THREADS; ++i) sum += last - arrived[i];
  return sum;
}

NOINLINE static void uneven_region(int scale) {
#pragma omp parallel num_threads(THREADS)
  {
    delay(scale * omp_get_thread_num());
    arrived[omp_get_thread_num()] = now();
  }
}

NOINLINE static void uneven_barrier(int scale) {
#pragma omp parallel num_threads(THREADS)
  {
    if (omp_get_thread_num() == 1) delay(4 * scale);
    arrived[omp_get_thread_num()] = now();
#pragma omp barrier
  }
}

NOINLINE static void uneven_loop(int scale) {
#pragma omp parallel num_threads(THREADS)
  {
    arrived[omp_get_thread_num()] = now();  // otherwise the compiler makes it one construct
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < THREADS; ++i) {
      delay(i == 2 ? 5 * scale : scale);
      arrived[omp_get_thread_num()] = now();
    }
  }
}

NOINLINE static long long contended(void) {
  long long wait = 0;
#pragma omp parallel num_threads(THREADS) reduction(+ : wait)
  {
#pragma omp barrier
    const long long asked = now();
#pragma omp critical(one)
    {
      wait += now() - asked;
      delay(20);
    }
  }
  return wait;
}

// The thread that makes the tasks arrives last. The others execute them at the barrier.
NOINLINE static long long tasks(int scale) {
  static long long busy[THREADS], busy_before[THREADS];
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp barrier
#pragma omp master
    {
      for (int i = 0; i < 2 * (THREADS - 1); ++i) {
#pragma omp task firstprivate(i)
        {
          const long long begin = now();
          delay(scale + i % 2);
          busy[omp_get_thread_num()] += now() - begin;
        }
      }
      delay(4 * scale);
    }
    // A thread that leaves the first barrier late may execute tasks there.
    busy_before[omp_get_thread_num()] = busy[omp_get_thread_num()];
    arrived[omp_get_thread_num()] = now();
  }
  long long wait = 0;
  for (int i = 1; i < THREADS; ++i) {
    const long long own = arrived[0] - arrived[i] - (busy[i] - busy_before[i]);
    if (own > 0) wait += own;
  }
  return wait;
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  uneven_region(1);  // threads begin here
  const long long first = waits();
  delay(30);  // the team is idle
  uneven_region(20 + 10 * rank);
  if (rank == 0) printf("region %lld\n", first + waits());
  MPI_Barrier(MPI_COMM_WORLD);
  uneven_barrier(10);
  if (rank == 0) printf("barrier %lld\n", waits());
  uneven_loop(10);
  if (rank == 0) printf("loop %lld\n", waits());
  const long long wait = contended();
  if (rank == 0) printf("critical %lld\n", wait);
  const long long idle = tasks(20);
  if (rank == 0) printf("tasks %lld\n", idle);
  MPI_Finalize();
  return 0;
}
