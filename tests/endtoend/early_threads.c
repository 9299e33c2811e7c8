// SPDX-License-Identifier: BSD-3-Clause
// Threads that are made before MPI_Init: one waits for a lock later, one never waits, and one has
// ended before.
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int may_wait, waits, may_end;

static void* wait_later(void* none) {
  while (!may_wait) usleep(1000);
  waits = 1;
  pthread_mutex_lock(&lock);  // waits
  pthread_mutex_unlock(&lock);
  return none;
}

static void* never_wait(void* none) {
  while (!may_end) usleep(1000);
  return none;
}

static void* end_at_once(void* none) { return none; }

int main(int argc, char** argv) {
  pthread_t waiting, busy, gone;
  pthread_create(&gone, NULL, end_at_once, NULL);
  pthread_join(gone, NULL);
  pthread_create(&waiting, NULL, wait_later, NULL);
  pthread_create(&busy, NULL, never_wait, NULL);
  MPI_Init(&argc, &argv);
  pthread_mutex_lock(&lock);
  may_wait = 1;
  while (!waits) usleep(1000);
  usleep(50000);
  pthread_mutex_unlock(&lock);
  pthread_join(waiting, NULL);  // joins
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  may_end = 1;
  pthread_join(busy, NULL);
  return 0;
}
