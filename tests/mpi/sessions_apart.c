/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions without a communicator of all processes: no process may wait for the others. */
#include <unistd.h>

#include "conform.h"

#if MPI_VERSION < 4
int main(void) {
  skip_mpi_4();
  return 0;
}
#else
int main(void) {
  MPI_Session session;
  MPI_Group self;
  MPI_Comm alone;
  int sum = 0, one = 1;
  const char* number = getenv("PMI_RANK");
  const int first = number == NULL || atoi(number) == 0;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  if (first) usleep(100000);
  MPI_Group_from_session_pset(session, "mpi://SELF", &self);
  MPI_Comm_create_from_group(self, "apart", MPI_INFO_NULL, MPI_ERRORS_RETURN, &alone);
  MPI_Group_free(&self);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, alone);
  if (sum != 1) return 3;
  MPI_Comm_free(&alone);
  MPI_Session_finalize(&session);
  if (first) puts("ok");
  return 0;
}
#endif
