/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes in functions between MPI calls. The amounts are processor time, so they do not depend on
   how fast the machine is.

     computing STEPS MILLISECONDS [fork | exec | threads | handler]

   Rank 0 computes twice as long in uneven() as the others do. It prints what a program can see of
   others in its process: file descriptors, threads, interrupted calls. With "handler" it gets
   SIGURG once per step, from itself. */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__attribute__((noinline)) void even(double time) {
  const double end = seconds() + time;
  while (seconds() < end) {
    for (volatile int i = 0; i < 20000; ++i) {
    }
  }
}

__attribute__((noinline)) void uneven(double time) {
  const double end = seconds() + time;
  while (seconds() < end) {
    for (volatile int i = 0; i < 20000; ++i) {
    }
  }
}

static int interrupted = 0;

static void rest(long nanoseconds) {
  struct timespec left = {0, nanoseconds};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) ++interrupted;
}

static volatile sig_atomic_t handled = 0;

static void handle(int number) {
  (void)number;
  ++handled;
}

/* A child after fork() and exec() has the default action of SIGURG. */
static int is_untouched(void) {
  struct sigaction action;
  sigset_t pending;
  even(0.05);
  return sigaction(SIGURG, NULL, &action) == 0 && action.sa_handler == SIG_DFL &&
         sigpending(&pending) == 0 && sigismember(&pending, SIGURG) == 0;
}

static int descriptors(void) {
  int count = 0;
  for (int fd = 0; fd < 1024; ++fd) count += fcntl(fd, F_GETFD) >= 0;
  return count;
}

static int threads(void) {
  char line[256];
  int count = -1;
  FILE* status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL)
    sscanf(line, "Threads: %d", &count);
  if (status != NULL) fclose(status);
  return count;
}

static void* compute(void* communicator) {
  even(0.01);
  MPI_Barrier(*(MPI_Comm*)communicator);
  return NULL;
}

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 10;
  const double time = argc > 2 ? 1e-3 * atof(argv[2]) : 0.01;
  const char* mode = argc > 3 ? argv[3] : "";
  int rank = 0, provided = 0;
  if (strcmp(mode, "child") == 0) return is_untouched() ? 7 : 9;
  if (strcmp(mode, "handler") == 0) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    sigaction(SIGURG, &action, NULL);
  }
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < steps; ++step) {
    even(time);
    uneven(rank == 0 ? 2 * time : time);
    rest(1000000);
    if (strcmp(mode, "handler") == 0) raise(SIGURG);
    if (strcmp(mode, "fork") == 0 || strcmp(mode, "exec") == 0) {
      /* The child computes and calls into the instrumented program, and has nothing to record. */
      const pid_t child = fork();
      if (child == 0) {
        int flag = 0;
        if (strcmp(mode, "exec") == 0) execl(argv[0], argv[0], "0", "0", "child", (char*)NULL);
        even(time);
        MPI_Initialized(&flag);
        _exit(flag ? 7 : 8);
      }
      int status = 0;
      waitpid(child, &status, 0);
      if (!WIFEXITED(status) || WEXITSTATUS(status) != 7)
        printf("rank %d: the child failed: %d\n", rank, status);
    }
    if (strcmp(mode, "threads") == 0) {
      MPI_Comm own;
      MPI_Comm_dup(MPI_COMM_SELF, &own);
      pthread_t one;
      pthread_create(&one, NULL, compute, &own);
      pthread_join(one, NULL);
      MPI_Comm_free(&own);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  printf("rank %d: %d file descriptors, %d threads, %d calls interrupted, %d signals\n", rank,
         descriptors(), threads(), interrupted, (int)handled);
  MPI_Finalize();
  return 0;
}
