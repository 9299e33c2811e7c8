// SPDX-License-Identifier: BSD-3-Clause
// openmp_constructs: one rank whose threads wait at each construct of OpenMP that openmp_waits does
// not have, for known times.
//
// Delays are sleeps, so the threads need no core of their own. It prints sums of waits in
// nanoseconds, as the program itself measured them, and at the end what the constructs computed:
//
//   single 12345678      at the end of `single`
//   copyprivate ...      the same with `copyprivate`
//   taskloop ...         at the barrier after a `taskloop`, in which threads execute its tasks
//   lock ...             for locks (omp_set_lock)
//   nest_lock ...        for nested locks
//   ordered ...          for iterations before (`ordered`)
//   doacross ...         the same with `depend`
//   sections ...         at the end of `sections`
//   results 1 2 ...
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

#include "delays.h"

#define NOINLINE __attribute__((noinline))
#define THREADS 3

static long long arrived[THREADS], busy[THREADS];

// Tasks that the thread has executed before it arrives are no part of its wait.
static void arrive(void) {
  arrived[omp_get_thread_num()] = now();
  busy[omp_get_thread_num()] = 0;
}

// All wait for the last one, except while they execute tasks.
static long long waits(void) {
  long long last = 0, sum = 0;
  for (int i = 0; i < THREADS; ++i) last = arrived[i] > last ? arrived[i] : last;
  for (int i = 0; i < THREADS; ++i) {
    const long long own = last - arrived[i] - busy[i];
    if (own > 0) sum += own;
    busy[i] = 0;
  }
  return sum;
}

NOINLINE static int single(void) {
  int sum = 0;
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp barrier
    arrive();
#pragma omp single
    {
      delay(30);
      sum += 5;
      arrive();
    }
  }
  return sum;
}

// What follows the `single` is no part of it.
NOINLINE static void single_nowait(void) {
#pragma omp parallel num_threads(THREADS)
  {
    for (int i = 0; i < 5; ++i) {
#pragma omp single nowait
      delay(1);
      delay(10);
#pragma omp barrier
    }
  }
}

NOINLINE static int copyprivate(void) {
  int sum = 0;
#pragma omp parallel num_threads(THREADS) reduction(+ : sum)
  {
    int value = 0;
#pragma omp barrier
    arrive();
#pragma omp single copyprivate(value)
    {
      delay(25);
      value = 7;
      arrive();
    }
    sum += value;
  }
  return sum;
}

NOINLINE static int taskloop(void) {
  int sum = 0;
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp barrier
#pragma omp master
    {
#pragma omp taskloop grainsize(1) shared(sum)
      for (int i = 0; i < 6; ++i) {
        const long long begin = now();
        delay(10);
#pragma omp atomic
        sum += i;
        busy[omp_get_thread_num()] += now() - begin;
      }
      delay(20);
    }
    arrive();
  }
  return sum;
}

NOINLINE static unsigned long long taskloop_unsigned(void) {
  unsigned long long sum = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
#pragma omp taskloop num_tasks(4) reduction(+ : sum)
  for (unsigned long long i = 1; i <= 100; ++i) sum += i;
  return sum;
}

NOINLINE static int task_reduction(void) {
  int sum = 0;
#pragma omp parallel num_threads(THREADS) reduction(task, + : sum)
  {
#pragma omp task in_reduction(+ : sum)
    sum += 3;
  }
  int more = 0;
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp for reduction(task, + : more) schedule(dynamic, 1)
    for (int i = 0; i < 6; ++i) {
#pragma omp task in_reduction(+ : more)
      more += i;
    }
#pragma omp sections reduction(task, + : more)
    {
#pragma omp section
      {
#pragma omp task in_reduction(+ : more)
        more += 100;
      }
#pragma omp section
      more += 1000;
    }
  }
  return sum + more;
}

// The handle of a detached task is the first thing in its data.
NOINLINE static int detached(void) {
  int done = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
  {
    for (int i = 1; i <= 3; ++i) {
      omp_event_handle_t event;
#pragma omp task detach(event) firstprivate(i) shared(done)
      {
        delay(2);
#pragma omp atomic
        done += i;
        omp_fulfill_event(event);
      }
    }
#pragma omp taskwait
#pragma omp task untied shared(done)
    {
#pragma omp task shared(done)
      {
#pragma omp atomic
        done += 10;
      }
#pragma omp taskwait
#pragma omp atomic
      done += 20;
    }
  }
  return done;
}

static omp_lock_t plain;
NOINLINE static long long locks(void) {
  long long wait = 0;
  omp_init_lock(&plain);
#pragma omp parallel num_threads(THREADS) reduction(+ : wait)
  {
    for (int i = 0; i < 100; ++i) {
#pragma omp single
      omp_set_lock(&plain);
#pragma omp single
      omp_unset_lock(&plain);
    }
    const long long asked = now();
    omp_set_lock(&plain);
    wait += now() - asked;
    delay(20);
    omp_unset_lock(&plain);
  }
  if (omp_test_lock(&plain)) omp_unset_lock(&plain);
  omp_destroy_lock(&plain);
  return wait;
}

static omp_nest_lock_t nested;
NOINLINE static long long nest_locks(int* depth) {
  long long wait = 0;
  int most = 0;
  omp_init_nest_lock(&nested);
#pragma omp parallel num_threads(THREADS) reduction(+ : wait) reduction(max : most)
  {
#pragma omp barrier
    const long long asked = now();
    omp_set_nest_lock(&nested);
    wait += now() - asked;
    omp_set_nest_lock(&nested);
    most = omp_test_nest_lock(&nested);
    omp_unset_nest_lock(&nested);
    delay(15);
    omp_unset_nest_lock(&nested);
    omp_unset_nest_lock(&nested);
  }
  omp_destroy_nest_lock(&nested);
  *depth = most;
  return wait;
}

NOINLINE static long long ordered(void) {
  long long wait = 0;
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp barrier
#pragma omp for ordered schedule(dynamic, 1) reduction(+ : wait)
    for (int i = 0; i < THREADS; ++i) {
      const long long asked = now();
#pragma omp ordered
      {
        wait += now() - asked;
        delay(15);
      }
    }
  }
  return wait;
}

NOINLINE static long long doacross(int* sum) {
  static int grid[5][4][3];
  long long wait = 0;
#pragma omp parallel num_threads(THREADS) reduction(+ : wait)
  {
#pragma omp for ordered(3) schedule(dynamic, 1)
    for (int i = 1; i < 5; ++i) {
      for (int j = 1; j < 4; ++j) {
        for (int k = 0; k < 3; ++k) {
          const long long asked = now();
#pragma omp ordered depend(sink : i - 1, j, k) depend(sink : i, j - 1, k)
          wait += now() - asked;
          grid[i][j][k] = 1 + grid[i - 1][j][k] + grid[i][j - 1][k];
          if (k == 0) delay(3);
#pragma omp ordered depend(source)
        }
      }
    }
  }
  *sum = grid[4][3][2];
  return wait;
}

NOINLINE static int sections(void) {
  int sum = 0;
#pragma omp parallel num_threads(THREADS)
  {
    arrive();
#pragma omp sections
    {
#pragma omp section
      {
        delay(25);
#pragma omp atomic
        sum += 1;
        arrive();
      }
#pragma omp section
      {
        delay(5);
#pragma omp atomic
        sum += 2;
        arrive();
      }
    }
  }
  return sum;
}

// Without OMP_CANCELLATION nothing is cancelled.
NOINLINE static int cancelled(void) {
  int loops = 0, after = 0;
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < 1000; ++i) {
#pragma omp atomic
      ++loops;
#pragma omp cancel for
    }
#pragma omp barrier
#pragma omp cancel parallel
#pragma omp atomic
    ++after;
  }
  return omp_get_cancellation() ? loops < 1000 && after == 0 : loops == 1000 && after == THREADS;
}

// A type that no processor adds in one step. LLVM needs another library for it.
NOINLINE static int atomics(void) {
#ifdef __clang__
  return 150;
#else
  long double sum = 0;
#pragma omp parallel num_threads(THREADS)
  for (int i = 0; i < 50; ++i) {
#pragma omp atomic
    sum += 1;
  }
  return (int)sum;
#endif
}

NOINLINE static int target(void) {
  int value = 1;
#pragma omp target data map(tofrom : value)
  {
#pragma omp target map(tofrom : value)
    value += 10;
#pragma omp target update from(value)
  }
  return value;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
#pragma omp parallel num_threads(THREADS)
  delay(1);  // threads begin here
  int results[12], depth = 0, sum = 0;
  results[0] = single();
  printf("single %lld\n", waits());
  results[1] = copyprivate();
  printf("copyprivate %lld\n", waits());
  results[2] = taskloop();
  printf("taskloop %lld\n", waits());
  printf("lock %lld\n", locks());
  printf("nest_lock %lld\n", nest_locks(&depth));
  printf("ordered %lld\n", ordered());
  printf("doacross %lld\n", doacross(&sum));
  results[3] = sections();
  printf("sections %lld\n", waits());
  single_nowait();
  results[4] = (int)taskloop_unsigned();
  results[5] = task_reduction();
  results[6] = detached();
  results[7] = depth;
  results[8] = sum;
  results[9] = cancelled();
  results[10] = atomics();
  results[11] = target();
  printf("results");
  for (int i = 0; i < 12; ++i) printf(" %d", results[i]);
  printf("\n");
  MPI_Finalize();
  return 0;
}
