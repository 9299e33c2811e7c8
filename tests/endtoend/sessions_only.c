/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with sessions and without MPI_Init; rank 1 leaves it in the way that its first
   argument names. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/mpi/before_mpi_4.h"

#if MPI_VERSION < 4
int main(void) {
  skip_mpi_4();
  return 0;
}
#else
static void in_session(int* me) {
  MPI_Session session;
  MPI_Group all;
  MPI_Comm comm;
  int sum = 0, one = 1;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
  MPI_Comm_create_from_group(all, "everybody", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  MPI_Comm_rank(comm, me);
  for (int i = 0; i < 5; ++i) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  MPI_Group_free(&all);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "return";
  int me = -1, status = -1;
  in_session(&me);
  /* A child process ends without any message of the measurement. */
  const pid_t child = strcmp(how, "vfork") == 0 ? vfork() : fork();
  if (child == 0) _exit(7);
  if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7) return 8;
  if (me == 0) puts("done");
  fflush(stdout);
  if (me != 1) return 0;
  if (strcmp(how, "_exit") == 0) _exit(0);
  if (strcmp(how, "_Exit") == 0) _Exit(0);
  if (strcmp(how, "quick_exit") == 0) quick_exit(0);
  if (strcmp(how, "exit") == 0) exit(0);
  return 0;
}
#endif
