/* SPDX-License-Identifier: BSD-3-Clause
   tracer_calls [REPETITIONS]: nanoseconds per MPI call on one process, the best of some rounds.
   The difference between runs with and without the preloaded library is the cost of recording.
   Prints lines of "name calls ns" where calls is the number of MPI calls in one turn of the loop
   and ns the time of one turn. Calls on POSIX threads are those for which no thread waits. */
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

enum { kRounds = 7 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static volatile uint64_t sink;
static int rank, size, flag;
static double in, out;
static MPI_Request requests[2], never;

static void nothing(void) {}
static void clock_tsc(void) {
#if defined(__x86_64__)
  sink = __rdtsc();
#endif
}
static void clock_monotonic(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  sink = (uint64_t)t.tv_nsec;
}
static void comm_size(void) { MPI_Comm_size(MPI_COMM_WORLD, &size); }
static void barrier(void) { MPI_Barrier(MPI_COMM_SELF); }
static void allreduce(void) { MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF); }
static void sendrecv(void) {
  MPI_Sendrecv(&in, 1, MPI_DOUBLE, 0, 1, &out, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF,
               MPI_STATUS_IGNORE);
}
static void send_to_nobody(void) { MPI_Send(&in, 1, MPI_DOUBLE, MPI_PROC_NULL, 1, MPI_COMM_SELF); }
static void nonblocking(void) {
  MPI_Irecv(&out, 1, MPI_DOUBLE, 0, 2, MPI_COMM_SELF, &requests[0]);
  MPI_Isend(&in, 1, MPI_DOUBLE, 0, 2, MPI_COMM_SELF, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
/* Makes the call at the bottom of kDepth nested functions. */
enum { kDepth = 30 };
static int depth_left;
__attribute__((noinline)) static void deep(void) {
  if (depth_left-- > 0) {
    deep();
  } else {
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  }
  __asm__ volatile("" ::: "memory"); /* prevents a tail call */
}
static void comm_size_deep(void) {
  depth_left = kDepth;
  deep();
}
static void unsuccessful_test(void) { MPI_Test(&never, &flag, MPI_STATUS_IGNORE); }

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static void lock_mutex(void) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}
static void signal_condition(void) { pthread_cond_signal(&condition); }
static void write_lock(void) {
  pthread_rwlock_wrlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
}
static void post_semaphore(void) {
  sem_post(&semaphore);
  sem_wait(&semaphore);
}

static void measure(const char* name, int calls, void (*turn)(void), int repetitions) {
  double best = 1e30;
  for (int i = 0; i < kRounds; ++i) {
    const double begin = now();
    for (int k = 0; k < repetitions; ++k) turn();
    const double each = (now() - begin) / repetitions;
    if (each < best) best = each;
  }
  printf("%s %d %.2f\n", name, calls, best);
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 100000;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  measure("nothing", 0, nothing, n);
  measure("clock_tsc", 0, clock_tsc, n);
  measure("clock_monotonic", 0, clock_monotonic, n);
  measure("comm_size", 1, comm_size, n);
  measure("comm_size_deep", 1, comm_size_deep, n);
  measure("send_to_nobody", 1, send_to_nobody, n);
  measure("barrier", 1, barrier, n);
  measure("allreduce", 1, allreduce, n);
  measure("sendrecv", 1, sendrecv, n);
  measure("irecv_isend_waitall", 3, nonblocking, n);
  MPI_Irecv(&out, 1, MPI_DOUBLE, 0, 3, MPI_COMM_SELF, &never);
  measure("unsuccessful_test", 1, unsuccessful_test, n);
  MPI_Cancel(&never);
  MPI_Wait(&never, MPI_STATUS_IGNORE);
  sem_init(&semaphore, 0, 0);
  measure("mutex", 2, lock_mutex, n);
  measure("signal", 1, signal_condition, n);
  measure("rwlock", 2, write_lock, n);
  measure("semaphore", 2, post_semaphore, n);
  MPI_Finalize();
  return 0;
}
