// SPDX-License-Identifier: BSD-3-Clause
// Programs that samples of the computation may disturb, or of which they know little:
//
//   odd_programs plain   computes in two functions; the test strips its symbols
//   odd_programs made    computes in code that it makes itself, as a JIT compiler does
//   odd_programs perf    samples itself by the kernel's buffers, and counts signals of two timers
//
// Rank 0 computes longer. The last line says what the program itself saw.
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <mpi.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile double sink;
static atomic_int signals[2];  // of ITIMER_REAL, and of a timer of processor time

static double processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__attribute__((noinline)) void a_little(void) {
  for (int i = 1; i < 20000; ++i) sink = sink + 1.0 / i;
}
__attribute__((noinline)) void compute(double time) {
  const double end = processor_time() + time;
  while (processor_time() < end) a_little();
}

// A function that counts down from its argument, in memory that no file has.
typedef void (*Made)(unsigned long);
static Made make_code(void) {
#if defined(__x86_64__)
  static const unsigned char code[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};  // dec rdi; jnz; ret
  void* memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  memcpy(memory, code, sizeof code);
  if (mprotect(memory, 4096, PROT_READ | PROT_EXEC) != 0) return NULL;
  Made made;
  memcpy(&made, &memory, sizeof made);  // ISO C has no such conversion
  return made;
#else
  return NULL;
#endif
}
__attribute__((noinline)) void run_made_code(Made made, double time) {
  const double end = processor_time() + time;
  while (processor_time() < end) made(200000);
}

static void on_alarm(int number) {
  (void)number;
  atomic_fetch_add(&signals[0], 1);
}
static void on_profile(int number) {
  (void)number;
  atomic_fetch_add(&signals[1], 1);
}

// Opens its own event, as the measurement library does. Returns the buffer; null: refused.
static struct perf_event_mmap_page* sample_myself(void) {
  struct perf_event_attr a;
  memset(&a, 0, sizeof a);
  a.size = sizeof a;
  a.type = PERF_TYPE_SOFTWARE;
  a.config = PERF_COUNT_SW_TASK_CLOCK;
  a.sample_period = 5000000;
  a.sample_type = PERF_SAMPLE_TIME;
  a.exclude_kernel = 1;
  const int event = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0UL);
  if (event < 0) return NULL;
  void* memory = mmap(NULL, 9 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* what = argc > 1 ? argv[1] : "plain";
  const int is_perf = strcmp(what, "perf") == 0;
  const Made made = strcmp(what, "made") == 0 ? make_code() : NULL;
  struct perf_event_mmap_page* buffer = NULL;
  if (is_perf) {
    buffer = sample_myself();
    signal(SIGALRM, on_alarm);
    signal(SIGPROF, on_profile);
    const struct itimerval often = {{0, 10000}, {0, 10000}};
    setitimer(ITIMER_REAL, &often, NULL);
    setitimer(ITIMER_PROF, &often, NULL);
  }
  for (int step = 0; step < 10; ++step) {
    const double time = rank == 0 ? 0.05 : 0.005;
    if (made != NULL) {
      run_made_code(made, time);
    } else {
      compute(time);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (is_perf) {
    const struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, NULL);
    setitimer(ITIMER_PROF, &never, NULL);
  }
  if (rank == 0) {
    printf("refused %d, own samples %s, signals %s %s\n", is_perf && buffer == NULL,
           buffer != NULL && buffer->data_head > 0 ? "yes" : "no", signals[0] > 0 ? "yes" : "no",
           signals[1] > 0 ? "yes" : "no");
  }
  MPI_Finalize();
  return 0;
}
