/* SPDX-License-Identifier: BSD-3-Clause */
/* no_mpi: a program that is linked with MPI and never initializes it. */
#include "conform.h"

int main(void) {
  int flag = 1;
  const char* number = getenv("PMI_RANK");
  if (number == NULL) number = getenv("OMPI_COMM_WORLD_RANK");
  OK(MPI_Initialized(&flag));
  CHECK(!flag);
  if (number == NULL || strcmp(number, "0") == 0) puts("ok");
  return 0;
}
