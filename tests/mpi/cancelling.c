/* SPDX-License-Identifier: BSD-3-Clause */
/* Receives that are cancelled in time and too late. */
#include "conform.h"

static int was_cancelled(MPI_Status status) {
  int flag = -1;
  OK(MPI_Test_cancelled(&status, &flag));
  return flag;
}

void cancelling(void) {
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  int value = -1, flag = 0;
  MPI_Request request, persistent_one;
  MPI_Status status;

  OK(MPI_Irecv(&value, 1, MPI_INT, previous, 40, MPI_COMM_WORLD, &request));
  OK(MPI_Cancel(&request));
  CHECK(request != MPI_REQUEST_NULL);
  OK(MPI_Wait(&request, &status));
  CHECK(was_cancelled(status) && request == MPI_REQUEST_NULL);

  /* The status is ignored. */
  OK(MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 40, MPI_COMM_WORLD, &request));
  OK(MPI_Cancel(&request));
  while (!flag) OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));

  OK(MPI_Recv_init(&value, 1, MPI_INT, previous, 41, MPI_COMM_WORLD, &persistent_one));
  OK(MPI_Start(&persistent_one));
  OK(MPI_Cancel(&persistent_one));
  OK(MPI_Waitall(1, &persistent_one, &status));
  CHECK(was_cancelled(status) && persistent_one != MPI_REQUEST_NULL);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  /* The request can be started again, and then receives. */
  OK(MPI_Start(&persistent_one));
  OK(MPI_Send(&rank, 1, MPI_INT, next, 41, MPI_COMM_WORLD));
  OK(MPI_Wait(&persistent_one, &status));
  CHECK(!was_cancelled(status) && value == previous);
  OK(MPI_Request_free(&persistent_one));

  /* The cancellation is too late: the message has arrived. */
  value = -1;
  OK(MPI_Irecv(&value, 1, MPI_INT, previous, 42, MPI_COMM_WORLD, &request));
  OK(MPI_Send(&rank, 1, MPI_INT, next, 42, MPI_COMM_WORLD));
  for (flag = 0; !flag;) OK(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
  OK(MPI_Cancel(&request));
  OK(MPI_Wait(&request, &status));
  CHECK(!was_cancelled(status) && value == previous && status.MPI_SOURCE == previous);

  records("MPI_COLLECTIVE_END", 1);
  records("MPI_SEND", 2);
  records("MPI_IRECV_REQUEST", 5);
  records("MPI_IRECV", 2);
  records("MPI_REQUEST_CANCELLED", 3);
}
