/* SPDX-License-Identifier: BSD-3-Clause */
/* touching STEPS PAGES [fork|vfork|thread]: in each step rank 0 writes to fresh pages between two
   barriers, and so does a child or another thread of it, to ten times as many. Each rank says how
   many descriptors are open, and whether errno has changed. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank;

static void* touch(void* number) {
  const size_t bytes = (size_t) * (int*)number * 4096;
  char* const memory =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < bytes; i += 4096) memory[i] = 1;
  munmap(memory, bytes);
  return NULL;
}

static void beside(const char* mode, int pages) {
  int many = 10 * pages;
  if (strcmp(mode, "thread") == 0) {
    pthread_t other;
    pthread_create(&other, NULL, touch, &many);
    pthread_join(other, NULL);
    return;
  }
  const pid_t child = strcmp(mode, "vfork") == 0 ? vfork() : fork();
  if (child == 0) {
    touch(&many);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

__attribute__((noinline)) static void step(int pages, const char* mode) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    touch(&pages);
    if (mode != NULL) beside(mode, pages);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static int open_descriptors(void) {
  DIR* const folder = opendir("/proc/self/fd");
  int count = 0;
  while (readdir(folder) != NULL) ++count;
  closedir(folder);
  return count;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  errno = 0;
  for (int i = 0; i < atoi(argv[1]); ++i) step(atoi(argv[2]), argc > 3 ? argv[3] : NULL);
  const int error = errno;
  printf("rank %d: %d descriptors, errno %d\n", rank, open_descriptors(), error);
  MPI_Finalize();
  return 0;
}
