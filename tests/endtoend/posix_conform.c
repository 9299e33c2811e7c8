// SPDX-License-Identifier: BSD-3-Clause
// Functions on POSIX threads: what they return and do. The output is the same with and without the
// measurement library. An argument selects a way to end the program instead.
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static volatile int state;

static struct timespec in_milliseconds(clockid_t clock, int milliseconds) {
  struct timespec t;
  clock_gettime(clock, &t);
  t.tv_nsec += milliseconds * 1000000L;
  t.tv_sec += t.tv_nsec / 1000000000L;
  t.tv_nsec %= 1000000000L;
  return t;
}

static void say(const char* what, int result) { printf("%s: %d errno %d\n", what, result, errno); }

static void until(int value) {
  while (state != value) usleep(1000);
}

static pthread_t start(void* (*function)(void*), void* argument) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, function, argument) != 0) abort();
  return thread;
}

static pthread_mutex_t of_kind(int kind, int robust) {
  pthread_mutexattr_t attributes;
  pthread_mutex_t mutex;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, kind);
  if (robust) pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
  return mutex;
}

// Holds a mutex for a while, and tries to get it twice if it is of such a kind.
static void* hold(void* argument) {
  pthread_mutex_t* const mutex = argument;
  pthread_mutex_lock(mutex);
  state = 1;
  usleep(20000);
  pthread_mutex_unlock(mutex);
  return NULL;
}

static void* die_with(void* argument) {
  pthread_mutex_lock(argument);
  state = 1;
  usleep(20000);
  return NULL;
}

static void* unlock(void* argument) { return (void*)(long)pthread_mutex_unlock(argument); }

static void of_mutexes(void) {
  void* result;
  pthread_mutex_t checked = of_kind(PTHREAD_MUTEX_ERRORCHECK, 0);
  say("checked lock", pthread_mutex_lock(&checked));
  say("checked lock again", pthread_mutex_lock(&checked));
  struct timespec t = in_milliseconds(CLOCK_REALTIME, 10);
  say("checked timedlock again", pthread_mutex_timedlock(&checked, &t));
  pthread_join(start(unlock, &checked), &result);
  say("checked unlock by another", (int)(long)result);
  say("checked unlock", pthread_mutex_unlock(&checked));
  say("checked unlock again", pthread_mutex_unlock(&checked));

  pthread_mutex_t recursive = of_kind(PTHREAD_MUTEX_RECURSIVE, 0);
  state = 0;
  pthread_t other = start(hold, &recursive);
  until(1);
  say("recursive lock, taken", pthread_mutex_lock(&recursive));
  say("recursive lock again", pthread_mutex_lock(&recursive));
  say("recursive unlock", pthread_mutex_unlock(&recursive));
  say("recursive trylock", pthread_mutex_trylock(&recursive));
  say("recursive unlock", pthread_mutex_unlock(&recursive));
  say("recursive unlock", pthread_mutex_unlock(&recursive));
  say("recursive unlock again", pthread_mutex_unlock(&recursive));
  pthread_join(other, NULL);

  pthread_mutex_t robust = of_kind(PTHREAD_MUTEX_NORMAL, 1);
  state = 0;
  other = start(die_with, &robust);
  until(1);
  say("robust lock, its owner dies", pthread_mutex_lock(&robust));
  say("robust consistent", pthread_mutex_consistent(&robust));
  say("robust unlock", pthread_mutex_unlock(&robust));
  pthread_join(other, NULL);
  pthread_join(start(die_with, &robust), NULL);
  say("robust lock, its owner is dead", pthread_mutex_lock(&robust));
  say("robust unlock", pthread_mutex_unlock(&robust));
  say("robust lock, not recoverable", pthread_mutex_lock(&robust));

  pthread_mutex_t plain = of_kind(PTHREAD_MUTEX_NORMAL, 0);
  state = 0;
  other = start(hold, &plain);
  until(1);
  t = in_milliseconds(CLOCK_REALTIME, 1);
  say("timedlock, taken", pthread_mutex_timedlock(&plain, &t));
  t = in_milliseconds(CLOCK_MONOTONIC, 1);
  say("clocklock, taken", pthread_mutex_clocklock(&plain, CLOCK_MONOTONIC, &t));
  pthread_join(other, NULL);
  t.tv_nsec = -1;
  say("timedlock, no time", pthread_mutex_timedlock(&plain, &t));
  pthread_mutex_unlock(&plain);
  say("clocklock, no time", pthread_mutex_clocklock(&plain, CLOCK_MONOTONIC, &t));
  pthread_mutex_unlock(&plain);
  t.tv_nsec = 0;
  say("clocklock, no clock", pthread_mutex_clocklock(&plain, 77, &t));
}

static void* read_lock(void* argument) {
  pthread_rwlock_rdlock(argument);
  state = 1;
  usleep(20000);
  pthread_rwlock_unlock(argument);
  return NULL;
}

static void of_locks(void) {
  pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
  say("wrlock", pthread_rwlock_wrlock(&rwlock));
  say("wrlock again", pthread_rwlock_wrlock(&rwlock));
  say("rdlock after wrlock", pthread_rwlock_rdlock(&rwlock));
  say("unlock", pthread_rwlock_unlock(&rwlock));
  state = 0;
  const pthread_t other = start(read_lock, &rwlock);
  until(1);
  say("rdlock, others read", pthread_rwlock_rdlock(&rwlock));
  say("unlock", pthread_rwlock_unlock(&rwlock));
  struct timespec t = in_milliseconds(CLOCK_REALTIME, 1);
  say("timedwrlock, others read", pthread_rwlock_timedwrlock(&rwlock, &t));
  say("wrlock, others read", pthread_rwlock_wrlock(&rwlock));
  say("unlock", pthread_rwlock_unlock(&rwlock));
  pthread_join(other, NULL);
  t.tv_nsec = 1000000000L;
  say("timedrdlock, no time", pthread_rwlock_timedrdlock(&rwlock, &t));
}

static void clean_up(void* argument) {
  printf("%s: cleaned up, mutex %d\n", (const char*)argument,
         pthread_mutex_trylock(&lock) == EBUSY);
}

static void* wait_for_ever(void* none) {
  pthread_mutex_lock(&lock);
  pthread_cleanup_push(clean_up, "condition");
  state = 1;
  while (1) pthread_cond_wait(&condition, &lock);
  pthread_cleanup_pop(0);
  return none;
}

static void* wait_for_post(void* none) {
  pthread_cleanup_push(clean_up, "semaphore");
  state = 1;
  while (1) {
    if (sem_wait(&semaphore) == 0 && none != NULL) sem_post(&semaphore);  // never waits
  }
  pthread_cleanup_pop(0);
  return none;
}

static void* join_for_ever(void* other) {
  state = 2;
  pthread_join(*(pthread_t*)other, NULL);
  return NULL;
}

static void cancel(const char* what, pthread_t thread) {
  void* result = NULL;
  usleep(10000);
  say(what, pthread_cancel(thread));
  say(what, pthread_join(thread, &result));
  say(what, result == PTHREAD_CANCELED);
}

static void of_cancellation(void) {
  state = 0;
  pthread_t thread = start(wait_for_ever, NULL);
  until(1);
  cancel("cancel a wait for a condition", thread);
  say("unlock for the cancelled one", pthread_mutex_unlock(&lock));
  state = 0;
  sem_init(&semaphore, 0, 0);
  thread = start(wait_for_post, NULL);
  until(1);
  pthread_mutex_lock(&lock);
  cancel("cancel a wait for a semaphore", thread);
  sem_post(&semaphore);
  state = 0;
  thread = start(wait_for_post, &lock);
  until(1);
  cancel("cancel at a semaphore that is free", thread);
  pthread_mutex_unlock(&lock);
  state = 0;
  thread = start(wait_for_ever, NULL);
  until(1);
  pthread_t joins = start(join_for_ever, &thread);
  until(2);
  cancel("cancel a join", joins);
  cancel("cancel what was to be joined", thread);
  pthread_mutex_unlock(&lock);
}

static void post(int number) {
  (void)number;
  sem_post(&semaphore);
}

static void* raise_later(void* argument) {
  usleep(10000);
  pthread_kill(*(pthread_t*)argument, SIGUSR1);
  return NULL;
}

static void* leave_early(void* argument) {
  if (argument != NULL) pthread_exit("left");
  return argument;
}

static void of_the_rest(void) {
  errno = 7;
  sem_init(&semaphore, 0, 1);
  say("sem_wait, free", sem_wait(&semaphore));
  struct timespec t = in_milliseconds(CLOCK_REALTIME, 1);
  say("sem_timedwait", sem_timedwait(&semaphore, &t));
  t.tv_nsec = 1000000000L;
  say("sem_timedwait, no time", sem_timedwait(&semaphore, &t));
  errno = 7;
  signal(SIGUSR1, post);
  pthread_t self = pthread_self();
  pthread_t other = start(raise_later, &self);
  int result;
  while ((result = sem_wait(&semaphore)) != 0 && errno == EINTR) {
  }
  say("sem_wait, posted by a signal handler", result);
  pthread_join(other, NULL);
  errno = 7;
  void* left = NULL;
  say("join", pthread_join(start(leave_early, &left), &left));
  printf("pthread_exit: %s\n", (const char*)left);
  say("join itself", pthread_join(pthread_self(), NULL));
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  say("stack size", pthread_attr_setstacksize(&attributes, 1L << 60));
  say("create, no memory", pthread_create(&other, &attributes, leave_early, NULL));
  pthread_mutex_lock(&lock);
  t = in_milliseconds(CLOCK_REALTIME, 1);
  say("cond_timedwait", pthread_cond_timedwait(&condition, &lock, &t));
  say("cond_signal, nobody", pthread_cond_signal(&condition));
  pthread_mutex_unlock(&lock);
}

// Each thread has its own result; a child of a thread is a process without records.
static void* count(void* argument) {
  pthread_mutex_lock(&lock);
  ++*(long*)argument;
  pthread_mutex_unlock(&lock);
  return argument;
}

static void of_many(int number) {
  long sum = 0;
  for (int i = 0; i < number; i += 8) {
    pthread_t threads[8];
    for (int k = 0; k < 8; ++k) threads[k] = start(count, &sum);
    for (int k = 0; k < 8; ++k) pthread_join(threads[k], NULL);
  }
  printf("%d threads: %ld\n", number, sum);
}

static void* fork_here(void* none) {
  const pid_t child = fork();
  if (child == 0) {
    long sum = 0;
    of_many(16);
    count(&sum);
    fflush(stdout);
    _exit((int)sum);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("child: %d\n", WEXITSTATUS(status));
  return none;
}

static void* serve(void* none) {
  while (1) pause();
  return none;
}

static void* exit_here(void* none) {
  usleep(20000);
  exit(3);
  return none;
}

// Waits for so many conditions, each for no time.
static void of_many_objects(int count) {
  const struct timespec past = {1, 0};
  pthread_cond_t* const conditions = calloc((size_t)count, sizeof *conditions);
  int timed_out = 0;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < count; ++i) {
    pthread_cond_init(&conditions[i], NULL);
    timed_out += pthread_cond_timedwait(&conditions[i], &lock, &past) == ETIMEDOUT;
  }
  pthread_mutex_unlock(&lock);
  printf("%d of %d waits timed out\n", timed_out, count);
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  const char* const what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "exit") == 0) {
    start(wait_for_ever, NULL);
    start(exit_here, NULL);
    pthread_mutex_lock(&lock);
    while (1) pthread_cond_wait(&condition, &lock);
  } else if (strcmp(what, "objects") == 0) {
    of_many_objects(atoi(argv[2]));
  } else if (strcmp(what, "many") == 0) {
    of_many(atoi(argv[2]));
  } else {
    errno = 7;
    of_mutexes();
    of_locks();
    of_cancellation();
    of_the_rest();
    of_many(64);
    fflush(stdout);
    pthread_join(start(fork_here, NULL), NULL);
    pthread_t detached = start(serve, NULL);
    say("detach", pthread_detach(detached));
  }
  MPI_Finalize();
  return 0;
}
