// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 leaves its work to helper threads that never call MPI: in every step it waits for the
// thread "cruncher". The thread "forever" has not ended when MPI does.
//
//   helper_threads STEPS MILLISECONDS
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static volatile double sink;
static double hold;
static atomic_int over;

static double processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Computes for so much processor time.
__attribute__((noinline)) void crunch(double time) {
  const double end = processor_time() + time;
  while (processor_time() < end) {
    for (int i = 1; i < 20000; ++i) sink = sink + 1.0 / i;
  }
}

static void* cruncher(void* steps) {
  pthread_setname_np(pthread_self(), "cruncher");
  (void)steps;
  crunch(hold);
  return NULL;
}

__attribute__((noinline)) void spin(void) {
  for (int i = 1; i < 20000; ++i) sink = sink + 1.0 / i;
}
static void* forever(void* unused) {
  (void)unused;
  prctl(PR_SET_NAME, "forever");
  const double end = processor_time() + 0.3;
  while (processor_time() < end) spin();
  atomic_store(&over, 1);
  for (;;) pause();
  return NULL;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 2);
  hold = 1e-3 * atof(argv[2]);
  pthread_t thread;
  if (rank == 0) {
    pthread_create(&thread, NULL, forever, NULL);
    pthread_detach(thread);
  }
  for (int step = 0; step < atoi(argv[1]); ++step) {
    if (rank == 0) {
      pthread_create(&thread, NULL, cruncher, NULL);
      pthread_join(thread, NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  while (rank == 0 && !atomic_load(&over)) {
    const struct timespec t = {0, 1000000};
    nanosleep(&t, NULL);
  }
  MPI_Finalize();
  return 0;
}
