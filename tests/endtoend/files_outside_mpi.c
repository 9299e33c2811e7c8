// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes files outside MPI: rank 0 stores blocks with fsync, which the others wait for.
// Then all write text, flood their output, run a child, and close what is not theirs.
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 20, BLOCK = 1 << 16, BLOCKS = 8, LINES = 20000 };

static char block[BLOCK];

static void fail_if(int wrong, const char* what) {
  if (!wrong) return;
  perror(what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

__attribute__((noinline)) static void store(const char* path) {
  const int file = open(path, O_CREAT | O_WRONLY, 0600);
  fail_if(file < 0, path);
  for (int i = 0; i < BLOCKS; ++i) fail_if(write(file, block, BLOCK) != BLOCK, "write");
  fail_if(fsync(file) != 0, "fsync");
  fail_if(close(file) != 0, "close");
}

__attribute__((noinline)) static long load(const char* path) {
  long bytes = 0;
  const int file = open(path, O_RDONLY);
  fail_if(file < 0, path);
  for (ssize_t n; (n = read(file, block, BLOCK)) > 0;) bytes += n;
  close(file);
  return bytes;
}

// In turn, as a launcher's pipe would mix longer lines.
__attribute__((noinline)) static void print(int rank, int size) {
  for (int turn = 0; turn < size; ++turn) {
    for (int i = 0; turn == rank && i < LINES; ++i) printf("rank %d line %d\n", rank, i);
    if (turn == rank) fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  int rank = 0, size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  memset(block, 'x', sizeof block);
  for (int step = 0; step < STEPS; ++step) {
    if (rank == 0 && step % 5 == 0) store("out.bin");
    MPI_Barrier(MPI_COMM_WORLD);
  }
  fail_if(load("out.bin") != (long)BLOCK * BLOCKS, "read");

  char name[32], line[64];
  snprintf(name, sizeof name, "text.%d", rank);
  FILE* text = fopen(name, "w");
  for (int i = 0; i < LINES; ++i) fprintf(text, "line %d\n", i);
  fclose(text);
  int lines = 0;
  for (text = fopen(name, "r"); fgets(line, sizeof line, text) != NULL;) ++lines;
  fclose(text);
  fail_if(lines != LINES, "lines");

  print(rank, size);
  fail_if(system("echo > /dev/null") != 0, "system");
  if (fork() == 0) {
    store("of_child");
    _exit(0);
  }
  wait(NULL);
  if (argc > 1) {
    // The three standard ones remain, and those of MPI, which it opened before.
    const int next = open("/dev/null", O_RDONLY);
    for (int i = next; i < 1024; ++i) close(i);
  }
  MPI_Finalize();
  return 0;
}
