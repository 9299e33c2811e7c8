/* SPDX-License-Identifier: BSD-3-Clause */
/* Generalized requests: their callbacks are called as often as without the tracer. */
#include "conform.h"

struct Calls {
  int query, free, cancel, complete;
};

static int query(void* state, MPI_Status* status) {
  struct Calls* calls = state;
  ++calls->query;
  MPI_Status_set_elements(status, MPI_INT, 7);
  MPI_Status_set_cancelled(status, calls->cancel);
  status->MPI_SOURCE = 11;
  status->MPI_TAG = 12;
  return MPI_SUCCESS;
}

static int release(void* state) {
  ++((struct Calls*)state)->free;
  return MPI_SUCCESS;
}

static int cancel(void* state, int complete) {
  struct Calls* calls = state;
  ++calls->cancel;
  calls->complete = complete;
  return MPI_SUCCESS;
}

static int is_filled(MPI_Status status) {
  int count = -1;
  OK(MPI_Get_count(&status, MPI_INT, &count));
  return count == 7 && status.MPI_SOURCE == 11 && status.MPI_TAG == 12;
}

void generalized(void) {
  struct Calls calls = {0, 0, 0, 0}, second = {0, 0, 0, 0};
  MPI_Request requests[3];
  MPI_Status statuses[3];
  int flag = 0, value = -1;

  OK(MPI_Grequest_start(query, release, cancel, &calls, &requests[0]));
  OK(MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE));
  CHECK(!flag && calls.query == 0);
  OK(MPI_Grequest_complete(requests[0]));
  OK(MPI_Request_get_status(requests[0], &flag, &statuses[0]));
  CHECK(flag && is_filled(statuses[0]) && calls.query == 1 && calls.free == 0);
  OK(MPI_Wait(&requests[0], &statuses[0]));
  CHECK(is_filled(statuses[0]) && calls.query == 2 && calls.free == 1);

  /* The generalized request is completed among others, with and without statuses. */
  for (int with = 0; with < 2; ++with) {
    memset(&calls, 0, sizeof calls);
    OK(MPI_Grequest_start(query, release, cancel, &calls, &requests[0]));
    OK(MPI_Irecv(&value, 1, MPI_INT, rank, 50, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Isend(&rank, 1, MPI_INT, rank, 50, MPI_COMM_WORLD, &requests[2]));
    OK(MPI_Grequest_complete(requests[0]));
    OK(MPI_Waitall(3, requests, with ? statuses : MPI_STATUSES_IGNORE));
    CHECK(value == rank && calls.query == 1 && calls.free == 1);
    if (with) CHECK(is_filled(statuses[0]) && statuses[1].MPI_TAG == 50);
  }

  memset(&calls, 0, sizeof calls);
  OK(MPI_Grequest_start(query, release, cancel, &calls, &requests[0]));
  OK(MPI_Grequest_start(query, release, cancel, &second, &requests[1]));
  OK(MPI_Cancel(&requests[0]));
  CHECK(calls.cancel == 1 && calls.complete == 0);
  OK(MPI_Grequest_complete(requests[0]));
  OK(MPI_Wait(&requests[0], &statuses[0]));
  OK(MPI_Test_cancelled(&statuses[0], &flag));
  CHECK(flag && calls.free == 1);
  OK(MPI_Grequest_complete(requests[1]));
  OK(MPI_Request_free(&requests[1]));
  CHECK(second.free == 1);

  records("MPI_ISEND", 2);
  records("MPI_ISEND_COMPLETE", 2);
  records("MPI_IRECV_REQUEST", 2);
  records("MPI_IRECV", 2);
}
