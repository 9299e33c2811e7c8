// SPDX-License-Identifier: BSD-3-Clause
// Waits of POSIX threads, each measured by the program itself: "NAME NANOSECONDS MOST", the time
// from just before the wait to just before, and to just after, what ended it.
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

enum { kWork = 60 };  // milliseconds

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void work(int milliseconds) {
  const int64_t end = now() + milliseconds * INT64_C(1000000);
  while (now() < end) {
  }
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static mtx_t iso_lock;
static cnd_t iso_condition;
static sem_t semaphore;
static volatile int holds, is_signalled;
static int64_t before, after;  // what ended the wait

static void* hold_mutex(void* none) {
  pthread_mutex_lock(&lock);
  holds = 1;
  work(kWork);
  before = now();
  pthread_mutex_unlock(&lock);  // mutex
  after = now();
  return none;
}

static void* hold_shared(void* none) {
  pthread_rwlock_rdlock(&shared);
  holds = 1;
  work(kWork);
  before = now();
  pthread_rwlock_unlock(&shared);  // rwlock
  after = now();
  return none;
}

static void* signal_later(void* none) {
  work(kWork);
  pthread_mutex_lock(&lock);
  is_signalled = 1;
  pthread_mutex_unlock(&lock);
  before = now();
  pthread_cond_signal(&condition);
  after = now();
  return none;
}

static void* post_later(void* none) {
  work(kWork);
  before = now();
  sem_post(&semaphore);
  after = now();
  return none;
}

static void* arrive_later(void* none) {
  work(kWork);
  before = now();
  pthread_barrier_wait(&barrier);
  after = now();
  return none;
}

static void* end_later(void* none) {
  work(kWork);
  before = now();
  after = 0;
  return none;
}

static void* hold_spin(void* none) {
  pthread_spin_lock(&spin);
  holds = 1;
  work(kWork);
  before = now();
  pthread_spin_unlock(&spin);  // spin
  after = now();
  return none;
}

static int hold_iso_mutex(void* none) {
  (void)none;
  mtx_lock(&iso_lock);
  holds = 1;
  work(kWork);
  before = now();
  mtx_unlock(&iso_lock);  // mtx
  after = now();
  return 0;
}

static int signal_iso_later(void* none) {
  (void)none;
  work(kWork);
  mtx_lock(&iso_lock);
  is_signalled = 1;
  mtx_unlock(&iso_lock);
  before = now();
  cnd_signal(&iso_condition);
  after = now();
  return 0;
}

static int end_iso_later(void* none) {
  (void)none;
  work(kWork);
  before = now();
  after = 0;
  return 0;
}

static int rank;

static void report(const char* name, int64_t since) {
  if (rank == 0)
    printf("%s %lld %lld\n", name, (long long)(before - since), (long long)(after - since));
}

static pthread_t start(void* (*function)(void*)) {
  pthread_t thread;
  holds = 0;
  if (pthread_create(&thread, NULL, function, NULL) != 0) abort();
  return thread;
}

static thrd_t start_iso(int (*function)(void*)) {
  thrd_t thread;
  holds = 0;
  if (thrd_create(&thread, function, NULL) != thrd_success) abort();
  return thread;
}

static void iso_waits(void) {
  mtx_init(&iso_lock, mtx_plain);
  cnd_init(&iso_condition);
  thrd_t thread = start_iso(hold_iso_mutex);
  while (!holds) {
  }
  int64_t since = now();
  mtx_lock(&iso_lock);  // waits
  mtx_unlock(&iso_lock);
  thrd_join(thread, NULL);
  report("mtx", since);

  is_signalled = 0;
  mtx_lock(&iso_lock);
  thread = start_iso(signal_iso_later);
  since = now();
  while (!is_signalled) cnd_wait(&iso_condition, &iso_lock);  // waits
  mtx_unlock(&iso_lock);
  thrd_join(thread, NULL);
  report("cnd", since);

  thread = start_iso(end_iso_later);
  since = now();
  thrd_join(thread, NULL);  // waits
  after = now();
  report("thrd_join", since);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);

  pthread_t thread = start(hold_mutex);
  while (!holds) {
  }
  int64_t since = now();
  pthread_mutex_lock(&lock);  // waits
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  report("mutex", since);

  thread = start(hold_shared);
  while (!holds) {
  }
  since = now();
  pthread_rwlock_wrlock(&shared);  // waits
  pthread_rwlock_unlock(&shared);
  pthread_join(thread, NULL);
  report("rwlock", since);

  pthread_mutex_lock(&lock);
  thread = start(signal_later);
  since = now();
  while (!is_signalled) pthread_cond_wait(&condition, &lock);  // waits
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  report("condition", since);

  sem_init(&semaphore, 0, 0);
  thread = start(post_later);
  since = now();
  while (sem_wait(&semaphore) != 0) {  // waits
  }
  pthread_join(thread, NULL);
  report("semaphore", since);

  pthread_barrier_init(&barrier, NULL, 2);
  thread = start(arrive_later);
  since = now();
  pthread_barrier_wait(&barrier);  // waits
  pthread_join(thread, NULL);
  report("barrier", since);

  thread = start(end_later);
  since = now();
  pthread_join(thread, NULL);  // waits
  after = now();
  report("join", since);

  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  thread = start(hold_spin);
  while (!holds) {
  }
  since = now();
  pthread_spin_lock(&spin);  // waits
  pthread_spin_unlock(&spin);
  pthread_join(thread, NULL);
  report("spin", since);

  iso_waits();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
