/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI calls from stacks that cannot be unwound or end in garbage, from signal handlers, and after
   longjmp. Other calls come from functions that overwrite the stack above them. MPI_Init is called
   before main. */
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "conform.h"

static int calls;
static char* memory; /* memory of another stack */

__attribute__((noinline)) static void exchange(void) {
  int out = rank, in = -1;
  OK(MPI_Sendrecv(&out, 1, MPI_INT, rank, 5, &in, 1, MPI_INT, rank, 5, MPI_COMM_WORLD,
                  MPI_STATUS_IGNORE));
  CHECK(in == rank);
  ++calls;
}

__attribute__((constructor)) static void before_main(void) { OK(MPI_Init(NULL, NULL)); }

/* Coroutines made with the C library. */
static ucontext_t outside, inside;
static void coroutine(void) {
  exchange();
  swapcontext(&inside, &outside);
  exchange();
}

/* Returns memory between two pages that cannot be read. */
static char* guarded(size_t bytes) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char* const pages = mmap(NULL, bytes + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(pages != MAP_FAILED);
  CHECK(mprotect(pages + page, bytes, PROT_READ | PROT_WRITE) == 0);
  return pages + page;
}

#if defined(__x86_64__)
/* Calls on a stack that ends right above the call. An unwinder that trusts the unwind information
   of this function looks for its frame in unmapped memory. */
__attribute__((noinline)) static void call_on(char* top, void (*function)(void)) {
  __asm__ volatile(
      "movq %%rsp, %%rbx\n\t"
      "movq %0, %%rsp\n\t"
      "callq *%1\n\t"
      "movq %%rbx, %%rsp\n\t"
      :
      : "r"(top), "r"(function)
      : "rbx", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
}

/* Like call_on, but the function seems to have been called from an invalid address. */
__attribute__((noinline)) static void call_from_nowhere(char* top, void (*function)(void)) {
  __asm__ volatile(
      "movq %%rsp, %%rbx\n\t"
      "movq %0, %%rsp\n\t"
      "movabsq $0x5a5a5a5a5a5a5a5a, %%rax\n\t"
      "movq %%rax, -8(%%rsp)\n\t"
      "movq %%rax, -16(%%rsp)\n\t"
      "subq $32, %%rsp\n\t"
      "callq *%1\n\t"
      "movq %%rbx, %%rsp\n\t"
      :
      : "r"(top), "r"(function)
      : "rbx", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
}
#endif

static void handler(int signal) { exchange(); }

static void on_signal(int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, before;
  CHECK(sigaction(SIGUSR2, &action, &before) == 0);
  CHECK(raise(SIGUSR2) == 0);
  CHECK(sigaction(SIGUSR2, &before, NULL) == 0);
}

static jmp_buf out_of_it;
__attribute__((noinline)) static void jump(void) {
  exchange();
  longjmp(out_of_it, 1);
}
__attribute__((noinline)) static void jumps(void) {
  if (setjmp(out_of_it) == 0) jump();
}

__attribute__((noinline)) static void recurse(int depth) {
  if (depth > 0) {
    recurse(depth - 1);
  } else {
    exchange();
  }
  __asm__ volatile("" ::: "memory");
}

int main(void) {
  enum { kBytes = 1 << 20 };
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
  for (int round = 0; round < 3; ++round) {
    memory = guarded(kBytes);
    CHECK(getcontext(&inside) == 0);
    inside.uc_stack.ss_sp = memory;
    inside.uc_stack.ss_size = kBytes;
    inside.uc_link = &outside;
    makecontext(&inside, coroutine, 0);
    CHECK(swapcontext(&outside, &inside) == 0);
    exchange();
    CHECK(swapcontext(&outside, &inside) == 0);
#if defined(__x86_64__)
    call_on(memory + kBytes, exchange);
    call_from_nowhere(memory + kBytes, exchange);
#endif
    stack_t alternate = {.ss_sp = memory, .ss_size = kBytes}, before;
    on_signal(0);
    CHECK(sigaltstack(&alternate, &before) == 0);
    on_signal(SA_ONSTACK);
    CHECK(sigaltstack(&before, NULL) == 0);
    munmap(memory, kBytes); /* so that the next stack may get the same place */
    jumps();
    exchange();
    recurse(5000);
  }
  records("MPI_SEND", calls);
  records("MPI_RECV", calls);
  write_expected();
  OK(MPI_Finalize());
  if (rank == 0) puts("ok");
  return 0;
}
