/* SPDX-License-Identifier: BSD-3-Clause */
/* A program for AddressSanitizer. With the argument "bad" it has an error for the sanitizer to
   find. With OPTIONS it sets the sanitizer's options itself. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef OPTIONS
const char* __asan_default_options(void);
const char* __asan_default_options(void) { return "detect_leaks=0"; }
#endif

int main(int argc, char** argv) {
  int rank, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* bytes = malloc(1000);
  memset(bytes, rank, 1000);
  MPI_Bcast(bytes, 1000, MPI_CHAR, 0, MPI_COMM_WORLD);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (argc > 1 && strcmp(argv[1], "bad") == 0) bytes[1000 + sum] = 1;
  if (rank == 0) printf("sum %d\n", sum + bytes[7]);
  free(bytes);
  MPI_Finalize();
  return 0;
}
