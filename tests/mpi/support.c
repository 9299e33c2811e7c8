/* SPDX-License-Identifier: BSD-3-Clause */
/* Definitions that all programs here share. */
#include "conform.h"

int rank, size;

enum { kKinds = 32 };
static struct {
  const char* kind;
  long count;
} expected[kKinds];

void records(const char* kind, long count) {
  int i = 0;
  while (expected[i].kind != NULL && strcmp(expected[i].kind, kind) != 0) ++i;
  expected[i].kind = kind;
  expected[i].count += count;
}

int error_class(int code) {
  int class_of = -1;
  MPI_Error_class(code, &class_of);
  return class_of;
}

/* Writes to the file that CONFORM_RECORDS names. All processes have the same kinds in the same
   order. It calls PMPI, so that nothing of this is recorded. */
void write_expected(void) {
  const char* path = getenv("CONFORM_RECORDS");
  FILE* file = path != NULL && rank == 0 ? fopen(path, "w") : NULL;
  for (int i = 0; i < kKinds && expected[i].kind != NULL; ++i) {
    long sum = 0;
    PMPI_Reduce(&expected[i].count, &sum, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (file != NULL) fprintf(file, "%s %ld\n", expected[i].kind, sum);
  }
  if (file != NULL) fclose(file);
}
