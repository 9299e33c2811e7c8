// SPDX-License-Identifier: BSD-3-Clause
// openmp_tasks: threads that have no task while other threads of their team execute tasks, for
// known times.
//
// Delays are sleeps, so the threads need no core of their own. The program measures when threads
// arrive and when tasks begin and end. It prints the sums of the waits in nanoseconds, and the
// thread that executed the long task:
//
//   unequal 12345678     at the end of a parallel region, with one long task
//   unequal_thread 2
//   explicit ...         the same at a barrier
//   late ...             the tasks are created by another task
//   taskwait ...         at a taskwait, for a long task of another thread
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "delays.h"

#define NOINLINE __attribute__((noinline))
#define THREADS 3
#define TASKS 8
// Before tasks are created all others have left the barrier before. They would execute tasks there.
#define SETTLE 5

// A task that was executed.
static struct {
  long long created, begin, end;
  int thread;
} tasks[TASKS];
static long long arrived[THREADS];

static void execute(int task, int milliseconds) {
  tasks[task].thread = omp_get_thread_num();
  tasks[task].begin = now();
  delay(milliseconds);
  tasks[task].end = now();
}

// The time that a thread had no task from `from` on: until the creation of its next task, or the
// last task of another thread has ended.
static long long starved(int thread, long long from) {
  long long sum = 0, until = 0;
  for (int i = 0; i < TASKS; ++i) {
    if (tasks[i].thread != thread && tasks[i].end > until) until = tasks[i].end;
  }
  for (;;) {  // its tasks in the order of time
    int next = -1;
    for (int i = 0; i < TASKS; ++i) {
      if (tasks[i].thread != thread || tasks[i].end <= from) continue;
      if (next < 0 || tasks[i].begin < tasks[next].begin) next = i;
    }
    if (next < 0) break;
    if (tasks[next].created > from) sum += tasks[next].created - from;
    from = tasks[next].end;
  }
  return until > from ? sum + until - from : sum;
}

// All threads wait from the arrival of the last one on.
static void report(const char* name, int slow) {
  long long last = 0, sum = 0;
  for (int i = 0; i < THREADS; ++i) last = arrived[i] > last ? arrived[i] : last;
  for (int i = 0; i < THREADS; ++i) sum += starved(i, last);
  printf("%s %lld\n%s_thread %d\n", name, sum, name, tasks[slow].thread);
  memset(tasks, 0, sizeof tasks);
}

NOINLINE static void unequal(void) {
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp barrier
#pragma omp master
    {
      delay(SETTLE);
      for (int i = 0; i < 4; ++i) {
#pragma omp task firstprivate(i)
        execute(i, i == 3 ? 60 : 10);
      }
    }
    arrived[omp_get_thread_num()] = now();
  }
}

NOINLINE static void explicitly(void) {
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp barrier
#pragma omp master
    {
      delay(SETTLE);
      for (int i = 0; i < 3; ++i) {
#pragma omp task firstprivate(i)
        execute(i, i == 0 ? 50 : 15);
      }
    }
    arrived[omp_get_thread_num()] = now();
#pragma omp barrier
    delay(1);
  }
}

NOINLINE static void late(void) {
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp barrier
#pragma omp master
    {
      delay(SETTLE);
      const int first = 0;  // without data of the task, GCC's line is that before it
#pragma omp task firstprivate(first)
      {
        execute(first, 40);
        for (int i = 1; i < 4; ++i) {
          tasks[i].created = now();
#pragma omp task firstprivate(i)
          execute(i, 20);
        }
        tasks[0].end = now();
      }
    }
    arrived[omp_get_thread_num()] = now();
  }
}

// The master waits for tasks that both others execute, too.
NOINLINE static void taskwait(void) {
  long long from = 0;
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp barrier
#pragma omp master
    {
      delay(SETTLE);
      for (int i = 0; i < 3; ++i) {
#pragma omp task firstprivate(i)
        execute(i, i == 0 ? 60 : 20);
      }
      delay(5);  // others begin with the first tasks
      from = now();
#pragma omp taskwait
    }
  }
  printf("taskwait %lld\ntaskwait_thread %d\n", starved(0, from), tasks[0].thread);
  memset(tasks, 0, sizeof tasks);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
#pragma omp parallel num_threads(THREADS)
  delay(1);  // threads begin here
  unequal();
  report("unequal", 3);
  explicitly();
  report("explicit", 0);
  late();
  report("late", 0);
  taskwait();
  MPI_Finalize();
  return 0;
}
