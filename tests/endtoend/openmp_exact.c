// SPDX-License-Identifier: BSD-3-Clause
// openmp_exact: threads of one rank that wait in constructs of OpenMP and for each other, for known
// times.
//
// Delays are sleeps, so the threads need no core of their own. The program measures each wait, and
// prints a line for each thread that waited: "NAME THREAD NANOSECONDS". The name is that of the
// function below, and the thread its number in the team (-1: in a nested one). The construct has
// the comment "waits".
//
// GCC gives a region that uses no variable the line before it, and drops a barrier that another one
// follows. So regions use one, and something follows the constructs.
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>

#include "delays.h"

#define NOINLINE __attribute__((noinline))
#define THREADS 3

static long long asked[THREADS], got[THREADS];
#define ITERATIONS 8

static void ask(void) { asked[omp_get_thread_num()] = now(); }
static void get(void) { got[omp_get_thread_num()] = now(); }

// Iterations of unequal length. A thread asks for the end of the loop after its last one.
static void iterate(int i) {
  delay(4 + 3 * i);
  ask();
}

// Each thread waited from when it asked until it got what it asked for.
static void report(const char* name) {
  for (int i = 0; i < THREADS; ++i) {
    if (got[i] > asked[i]) printf("%s %d %lld\n", name, i, got[i] - asked[i]);
    got[i] = asked[i] = 0;
  }
}

// All waited for the last one that asked.
static void report_barrier(const char* name) {
  long long last = 0;
  for (int i = 0; i < THREADS; ++i) last = asked[i] > last ? asked[i] : last;
  for (int i = 0; i < THREADS; ++i) got[i] = last;
  report(name);
}

NOINLINE static void region(void) {
  int scale = 10;
#pragma omp parallel num_threads(THREADS)  // waits
  {
    delay(5 + scale * omp_get_thread_num());
    ask();
  }
  report_barrier("region");
}

NOINLINE static void barrier(void) {
#pragma omp parallel num_threads(THREADS)
  {
    delay(40 - 10 * omp_get_thread_num());
    ask();
#pragma omp barrier  // waits
    delay(1);
  }
  report_barrier("barrier");
}

NOINLINE static void static_loop(void) {
  int count = ITERATIONS;
#pragma omp parallel num_threads(THREADS)
  {
    ask();
#pragma omp for schedule(static)  // waits
    for (int i = 0; i < count; ++i) iterate(i);
    delay(1);
  }
  report_barrier("static_loop");
}

NOINLINE static void static_chunks(void) {
  int count = ITERATIONS;
#pragma omp parallel num_threads(THREADS)
  {
    ask();
#pragma omp for schedule(static, 1)  // waits
    for (int i = 0; i < count; ++i) iterate(i);
    delay(1);
  }
  report_barrier("static_chunks");
}

NOINLINE static void dynamic_loop(void) {
  int count = ITERATIONS;
#pragma omp parallel num_threads(THREADS)
  {
    ask();
#pragma omp for schedule(dynamic, 1)  // waits
    for (int i = 0; i < count; ++i) iterate(i);
    delay(1);
  }
  report_barrier("dynamic_loop");
}

NOINLINE static void guided_loop(void) {
  int count = ITERATIONS;
#pragma omp parallel num_threads(THREADS)
  {
    ask();
#pragma omp for schedule(guided)  // waits
    for (int i = 0; i < count; ++i) iterate(i);
    delay(1);
  }
  report_barrier("guided_loop");
}

NOINLINE static void guided_unsigned(void) {
  int count = ITERATIONS;
#pragma omp parallel num_threads(THREADS)
  {
    ask();
#pragma omp for schedule(guided, 2)  // waits
    for (unsigned long long i = 0; i < (unsigned long long)count; ++i) iterate((int)i);
    delay(1);
  }
  report_barrier("guided_unsigned");
}

NOINLINE static void guided_at_run_time(void) {
  int count = ITERATIONS;
  omp_set_schedule(omp_sched_guided, 1);
#pragma omp parallel num_threads(THREADS)
  {
    ask();
#pragma omp for schedule(runtime)  // waits
    for (int i = 0; i < count; ++i) iterate(i);
    delay(1);
  }
  report_barrier("guided_at_run_time");
}

NOINLINE static void guided_region(void) {
  int count = ITERATIONS;
#pragma omp parallel for num_threads(THREADS) schedule(guided)  // waits
  for (int i = 0; i < count; ++i) iterate(i);
  report_barrier("guided_region");
}

NOINLINE static void sections(void) {
  int longest = 9;
#pragma omp parallel num_threads(THREADS)
  {
    ask();
#pragma omp sections  // waits
    {
#pragma omp section
      iterate(longest);
#pragma omp section
      iterate(1);
    }
    delay(1);
  }
  report_barrier("sections");
}

NOINLINE static void single(void) {
  int longest = 8;
#pragma omp parallel num_threads(THREADS)
  {
    ask();
#pragma omp single  // waits
    iterate(longest);
    delay(1);
  }
  report_barrier("single");
}

NOINLINE static void critical(void) {
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp barrier
    ask();
#pragma omp critical(one)  // waits
    {
      get();
      delay(20);
    }
  }
  report("critical");
}

// The two threads without a task have nothing to do from the last arrival until its end.
NOINLINE static void tasks(void) {
  long long end = 0;
  int executes = -1;
#pragma omp parallel num_threads(THREADS)  // waits
  {
#pragma omp barrier
#pragma omp master
    {
      delay(5);  // all others are at the next barrier
#pragma omp task shared(end, executes)
      {
        delay(40);
        executes = omp_get_thread_num();
        end = now();
      }
    }
    ask();
  }
  for (int i = 0; i < THREADS; ++i) {
    asked[i] = asked[0];
    got[i] = i == executes ? 0 : end;
  }
  report("tasks");
}

NOINLINE static void inner(long long* arrival) {
#pragma omp parallel num_threads(2)  // waits
  {
    delay(arrival == asked ? 5 : 15);
    if (omp_get_thread_num() == 1) delay(arrival == asked ? 10 : 25);
    arrival[omp_get_thread_num()] = now();
  }
}

// Each of two threads makes a team of two.
NOINLINE static void nested(void) {
#pragma omp parallel num_threads(2)
  inner(omp_get_thread_num() == 0 ? asked : got);
  printf("inner -1 %lld\ninner -1 %lld\n", asked[1] - asked[0], got[1] - got[0]);
  for (int i = 0; i < THREADS; ++i) asked[i] = got[i] = 0;
}

static omp_lock_t plain;
NOINLINE static void locks(void) {
  omp_init_lock(&plain);
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp barrier
    ask();
    omp_set_lock(&plain);  // waits
    get();
    delay(20);
    omp_unset_lock(&plain);
  }
  omp_destroy_lock(&plain);
  report("locks");
}

static omp_nest_lock_t twice;
NOINLINE static void nest_locks(void) {
  omp_init_nest_lock(&twice);
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp barrier
    ask();
    omp_set_nest_lock(&twice);  // waits
    get();
    omp_set_nest_lock(&twice);
    delay(20);
    omp_unset_nest_lock(&twice);
    omp_unset_nest_lock(&twice);
  }
  omp_destroy_nest_lock(&twice);
  report("nest_locks");
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int is_ready;

NOINLINE static void mutexes(void) {
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp barrier
    ask();
    pthread_mutex_lock(&mutex);  // waits
    get();
    delay(20);
    pthread_mutex_unlock(&mutex);
  }
  report("mutexes");
}

// The first thread signals; all others wait for that.
NOINLINE static void conditions(void) {
  is_ready = 0;
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp barrier
    if (omp_get_thread_num() == 0) delay(40);
    pthread_mutex_lock(&mutex);
    if (omp_get_thread_num() == 0) {
      is_ready = 1;
      for (int i = 1; i < THREADS; ++i) got[i] = now();
      pthread_cond_broadcast(&condition);
    } else {
      ask();
      while (!is_ready) pthread_cond_wait(&condition, &mutex);  // waits
    }
    pthread_mutex_unlock(&mutex);
  }
  report("conditions");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  omp_set_dynamic(0);
  omp_set_max_active_levels(2);
  // Threads begin one after the other, so their numbers are those of their records.
  for (int i = 1; i <= THREADS; ++i) {
#pragma omp parallel num_threads(i)
    delay(1);
  }
  region();
  barrier();
  static_loop();
  static_chunks();
  dynamic_loop();
  guided_loop();
  guided_unsigned();
  guided_at_run_time();
  guided_region();
  sections();
  single();
  critical();
  tasks();
  locks();
  nest_locks();
  mutexes();
  conditions();
  nested();
  MPI_Finalize();
  return 0;
}
