// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 is late in every step, for one reason:
//
//   reasons REASON STEPS MILLISECONDS
//
//   more      it computes longer
//   memory    it does so on memory that does not fit the cache
//   sleep     it sleeps
//   lock      another thread holds a lock that it wants
//   socket    it waits for data from another thread
//   pages     it touches new memory, which the kernel clears
//   file      it writes a file, reasons.out, and makes sure that the disk has it
//   core      a process competes for its core; both ranks compute then
//   mpi       the same, but both ranks compute inside an MPI call
//
// It says for how long rank 0 was late: "late 0.512 s". With "core" and "mpi" that is the processor
// time that the other process had.
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static double now(void) { return seconds(CLOCK_MONOTONIC); }

static volatile double sink;

// Computes for so much processor time.
__attribute__((noinline)) void compute(double time) {
  const double end = seconds(CLOCK_THREAD_CPUTIME_ID) + time;
  while (seconds(CLOCK_THREAD_CPUTIME_ID) < end) {
    for (int i = 1; i < 20000; ++i) sink = sink + 1.0 / i;
  }
}

// Follows a chain of pointers through 64 MiB, for so much processor time.
enum { kCells = 1 << 24 };
static unsigned* chain;

static void make_chain(void) {
  chain = malloc(kCells * sizeof *chain);
  const unsigned step = 10489861;  // odd, so the chain meets all cells
  for (unsigned i = 0; i < kCells; ++i) chain[i] = (i + step) % kCells;
}
__attribute__((noinline)) void follow_chain(double time) {
  static unsigned at;
  const double end = seconds(CLOCK_THREAD_CPUTIME_ID) + time;
  while (seconds(CLOCK_THREAD_CPUTIME_ID) < end) {
    for (int i = 0; i < 2000; ++i) at = chain[at];
  }
  sink = at;
}

// Writes and waits for the disk, for at least so much time.
__attribute__((noinline)) void write_file(double time) {
  static char block[1 << 16];
  const int file = open("reasons.out", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const double end = now() + time;
  while (now() < end) {
    lseek(file, 0, SEEK_SET);  // on a fast disk the file would grow without limit
    if (write(file, block, sizeof block) < 0 || fsync(file) != 0) perror("reasons.out");
  }
  close(file);
}

__attribute__((noinline)) void wait_a_while(double time) {
  struct timespec t = {0, (long)(1e9 * time)};
  nanosleep(&t, NULL);
}

// Two threads in turn: the other one holds the lock for some time.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int held, wanted;
static double hold;

static void* holder(void* unused) {
  (void)unused;
  for (;;) {
    while (!atomic_load(&wanted)) wait_a_while(1e-4);
    if (atomic_load(&wanted) < 0) return NULL;
    pthread_mutex_lock(&lock);
    atomic_store(&wanted, 0);
    atomic_store(&held, 1);
    wait_a_while(hold);
    pthread_mutex_unlock(&lock);
  }
}
__attribute__((noinline)) void take_lock(void) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
}

// The other thread answers after some time.
static int sockets[2];

static void* answer(void* unused) {
  (void)unused;
  char question;
  while (recv(sockets[1], &question, 1, 0) == 1) {
    wait_a_while(hold);
    if (send(sockets[1], &question, 1, 0) != 1) break;
  }
  return NULL;
}
__attribute__((noinline)) void ask(void) {
  char question = 1;
  if (send(sockets[0], &question, 1, 0) != 1) perror("send");
  if (recv(sockets[0], &question, 1, 0) != 1) perror("recv");
}

// New memory until that has taken so much processor time.
__attribute__((noinline)) void touch_pages(double time) {
  const size_t bytes = (size_t)1 << 20;
  const double end = seconds(CLOCK_THREAD_CPUTIME_ID) + time;
  while (seconds(CLOCK_THREAD_CPUTIME_ID) < end) {
    char* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < bytes; i += 4096) memory[i] = 1;
    munmap(memory, bytes);
  }
}

// Computes inside MPI: an operation of the program's own.
static void slow_operation(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)in;
  (void)inout;
  (void)length;
  (void)type;
  compute(hold);
}

// Stays on the n-th core that it may use.
static void stay_on_core(int n) {
  cpu_set_t all, one;
  sched_getaffinity(0, sizeof all, &all);
  CPU_ZERO(&one);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &all) && n-- == 0) CPU_SET(core, &one);
  }
  sched_setaffinity(0, sizeof one, &one);
}
static pid_t compete(void) {
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) sink = sink + 1;
  }
  return child;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc < 4) MPI_Abort(MPI_COMM_WORLD, 2);
  const char* reason = argv[1];
  const int steps = atoi(argv[2]);
  hold = 1e-3 * atof(argv[3]);
  MPI_Op operation;
  MPI_Op_create(slow_operation, 1, &operation);
  int result = 0;
  pthread_t other;
  pid_t competitor = 0;
  double late = 0;
  const int is_mpi = strcmp(reason, "mpi") == 0;
  const int is_core = is_mpi || strcmp(reason, "core") == 0, is_lock = strcmp(reason, "lock") == 0;
  const int is_socket = strcmp(reason, "socket") == 0;
  if (strcmp(reason, "memory") == 0) make_chain();
  if (is_core) stay_on_core(rank);
  if (is_core && rank == 0) competitor = compete();
  if (is_lock && rank == 0) pthread_create(&other, NULL, holder, NULL);
  if (is_socket && rank == 0) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) perror("socketpair");
    pthread_create(&other, NULL, answer, NULL);
  }
  for (int step = 0; step < steps; ++step) {
    compute(0.002);
    if (is_mpi) MPI_Reduce_local(&rank, &result, 1, MPI_INT, operation);
    if (is_core && !is_mpi) compute(hold);
    if (is_lock && rank == 0) {
      atomic_store(&held, 0);
      atomic_store(&wanted, 1);
      while (!atomic_load(&held)) {
      }
    }
    const double begin = now();
    if (rank == 0) {
      if (strcmp(reason, "more") == 0) compute(hold);
      if (strcmp(reason, "memory") == 0) follow_chain(hold);
      if (strcmp(reason, "file") == 0) write_file(hold);
      if (strcmp(reason, "sleep") == 0) wait_a_while(hold);
      if (strcmp(reason, "pages") == 0) touch_pages(hold);
      if (is_lock) take_lock();
      if (is_socket) ask();
    }
    late += now() - begin;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (competitor != 0) {
    struct rusage use;
    kill(competitor, SIGKILL);
    wait4(competitor, NULL, 0, &use);
    late = (double)use.ru_utime.tv_sec + 1e-6 * (double)use.ru_utime.tv_usec;
  }
  if (is_lock && rank == 0) {
    atomic_store(&wanted, -1);
    pthread_join(other, NULL);
  }
  if (is_socket && rank == 0) {
    shutdown(sockets[0], SHUT_RDWR);
    pthread_join(other, NULL);
  }
  MPI_Op_free(&operation);
  if (rank == 0) printf("late %.6f s\n", late);
  MPI_Finalize();
  return 0;
}
