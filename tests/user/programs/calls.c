// SPDX-License-Identifier: BSD-3-Clause
// Instrumented C: main -> foo -> bar, and helpers that a filter may leave out.
#include <mpi.h>
#include <signal.h>
#include <string.h>

#include "latecomer.h"

LATECOMER_REGION(phase, "phase one");

static volatile int sink;

static void bar(int i) { sink = i; }

static void tiny(void) { sink = 0; }

static void foo(void) {
  for (int i = 0; i < 3; ++i) bar(i);
  tiny();
}

int main(int argc, char** argv) {
  foo();
  MPI_Init(&argc, &argv);
  LATECOMER_ENTER(phase);
  foo();
  MPI_Barrier(MPI_COMM_WORLD);
  LATECOMER_LEAVE(phase);
  if (argc > 1 && strcmp(argv[1], "kill") == 0) raise(SIGKILL);
  MPI_Finalize();
  foo();  // too late to be recorded
  return 0;
}
