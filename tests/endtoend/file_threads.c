/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that open, write and close separate files: MPI reuses handles of files. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kThreads = 4, kFiles = 100 };

/* The measurement's calls come through this function. It gives other threads time between the end
   of the call and its record. */
int PMPI_File_close(MPI_File* file) {
  static int (*real)(MPI_File*);
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "PMPI_File_close");
  if (real == NULL) abort();
  const int result = real(file);
  usleep(300);
  return result;
}

static void* work(void* number) {
  char name[64];
  const int bytes = (int)*(int*)number + 1;
  const char data[kThreads + 1] = "abcd";
  snprintf(name, sizeof name, "of_thread_%d.data", *(int*)number);
  for (int i = 0; i < kFiles; ++i) {
    MPI_File file;
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_write_at(file, 0, data, bytes, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided = 0, numbers[kThreads];
  pthread_t threads[kThreads];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) {
    puts("skipped: no MPI_THREAD_MULTIPLE");
    return 77;
  }
  for (int i = 0; i < kThreads; ++i) {
    numbers[i] = i;
    pthread_create(&threads[i], NULL, work, &numbers[i]);
  }
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  MPI_Finalize();
  return 0;
}
