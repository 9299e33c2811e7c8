// SPDX-License-Identifier: BSD-3-Clause
// openmp_faults MODE: one rank with teams of threads in which something happens that a measurement
// may not expect. The modes are the functions below.
#include <dlfcn.h>
#include <mpi.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 3

static int count;  // of what threads did

static void work(int threads) {
#pragma omp parallel num_threads(threads)
  {
#pragma omp critical
    ++count;
#pragma omp barrier
  }
}

// A thread ends the process while the others wait for it.
static void ends(void) {
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp critical
    ++count;
#pragma omp barrier
    if (omp_get_thread_num() == THREADS - 1) {
      fflush(stdout);
      exit(3);
    }
#pragma omp barrier
  }
}

static void killed(void) {
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp critical
    ++count;
#pragma omp barrier
    if (omp_get_thread_num() == 1) kill(getpid(), SIGKILL);
#pragma omp barrier
  }
}

// Each thread makes a child, which uses a lock of the team that nobody holds. LLVM's runtime does
// not work in children.
static void forks(void) {
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp barrier
#pragma omp critical(children)
    {
      const pid_t child = fork();
      if (child == 0) {
#ifndef __clang__
#pragma omp critical(other)
#endif
        ++count;
        _exit(count == 0 ? 1 : 0);
      }
      int status = 1;
      waitpid(child, &status, 0);
      if (status == 0) ++count;
    }
  }
}

// Two levels: 2 teams of 2 threads in a team of 2, three times.
static void nested(void) {
  omp_set_max_active_levels(2);
  for (int i = 0; i < 3; ++i) {
#pragma omp parallel num_threads(2)
    work(2);
  }
}

static void sizes(void) {
  for (int i = 0; i < 40; ++i) work(1 + i % 4);
}

// Recording is off between the middles of two regions.
static void off(void) {
  for (int i = 0; i < 2; ++i) {
#pragma omp parallel num_threads(THREADS)
    {
#pragma omp barrier
#pragma omp master
      MPI_Pcontrol(i);
#pragma omp barrier
#pragma omp critical
      ++count;
    }
    work(THREADS);
  }
}

static void ends_mpi(void) {
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp barrier
#pragma omp master
    MPI_Finalize();
#pragma omp barrier
#pragma omp critical
    ++count;
  }
  work(THREADS);
}

// The handler comes at any place, also inside a record, and calls functions that are recorded.
static volatile sig_atomic_t signals;
static void handle(int number) {
  (void)number;
  ++signals;
  if (write(STDERR_FILENO, "", 0) != 0) _exit(9);
}
static void interrupted(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, NULL);
  const struct itimerval often = {{0, 200}, {0, 200}};
  setitimer(ITIMER_REAL, &often, NULL);
  for (int i = 0; i < 100000 && (i < 300 || signals < 100); ++i) work(2);
  const struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &never, NULL);
  count = signals >= 100;
}

// A library with a runtime of its own.
static void two_runtimes(const char* library) {
  work(THREADS);
  void* const plugin = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  int (*work_there)(void) = NULL;
  if (plugin != NULL) *(void**)&work_there = dlsym(plugin, "work");
  if (work_there == NULL) {
    printf("%s\n", dlerror());
    exit(1);
  }
  for (int i = 0; i < 5; ++i) {
    work_there();
    work(THREADS);
  }
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const char* const mode = argc > 1 ? argv[1] : "";
  if (strcmp(mode, "exit") == 0) ends();
  if (strcmp(mode, "kill") == 0) killed();
  if (strcmp(mode, "fork") == 0) forks();
  if (strcmp(mode, "nested") == 0) nested();
  if (strcmp(mode, "sizes") == 0) sizes();
  if (strcmp(mode, "off") == 0) off();
  if (strcmp(mode, "signals") == 0) interrupted();
  if (strcmp(mode, "two") == 0) two_runtimes(argv[2]);
  if (strcmp(mode, "finalize") == 0) {
    ends_mpi();
  } else {
    MPI_Finalize();
  }
  printf("count %d\n", count);
  return 0;
}
