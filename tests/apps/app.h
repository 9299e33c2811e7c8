/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that the applications share: options, work that takes a known time, and the verdict at
   the end. */
#ifndef LATECOMER_TESTS_APP_H
#define LATECOMER_TESTS_APP_H

#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Value of --name N on the command line, or `otherwise`. */
static inline double option(int argc, char** argv, const char* name, double otherwise) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (strcmp(argv[i], name) == 0) return atof(argv[i + 1]);
  }
  return otherwise;
}

/* Keeps the process busy for some milliseconds, sharing the core with others. */
static inline void work(double milliseconds) {
  const double end = MPI_Wtime() + milliseconds * 1e-3;
  while (MPI_Wtime() < end) sched_yield();
}

/* Combines the results of all ranks; rank 0 prints the verdict. Returns the exit status of the
   program. */
static inline int verdict(const char* program, int ok) {
  int rank, all = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&ok, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  /* A test may need time while the program is there. */
  const char* awaited = getenv("APP_WAITS_FOR_FILE");
  for (FILE* file = NULL; awaited != NULL && file == NULL;) {
    file = fopen(awaited, "r");
    if (file == NULL)
      work(10);
    else
      fclose(file);
  }
  if (rank == 0) printf("%s: %s\n", program, all ? "ok" : "WRONG RESULT");
  return all ? 0 : 1;
}

#endif
