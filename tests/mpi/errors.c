/* SPDX-License-Identifier: BSD-3-Clause */
/* Error codes, error handlers and statuses of unsuccessful calls. */
#include "conform.h"

static int handled, last_code;
static MPI_Comm last_comm;

static void count_errors(MPI_Comm* comm, int* code, ...) {
  ++handled;
  last_code = *code;
  last_comm = *comm;
}

/* Error classes that the standard leaves open, and errors that Open MPI does not detect: it
   crashes. */
#if defined(OPEN_MPI)
enum { kNoRequest = MPI_ERR_REQUEST, kWrongCount = MPI_ERR_ARG, kLooks = 0 };
#else
enum { kNoRequest = MPI_ERR_ARG, kWrongCount = MPI_ERR_COUNT, kLooks = 1 };
#endif

/* Arguments that MPI refuses: all processes try them, nothing is sent. */
static void refused(MPI_Comm comm) {
  int value = 0, flag = 0, index = 0, counts[64] = {0};
  MPI_Status status;
  MPI_Request request = MPI_REQUEST_NULL, *const no_request = NULL;
  MPI_Comm fresh = MPI_COMM_NULL;
  FAILS(MPI_ERR_RANK, MPI_Send(&value, 1, MPI_INT, size, 0, comm));
  FAILS(MPI_ERR_RANK, MPI_Send(&value, 1, MPI_INT, -7, 0, comm));
  FAILS(MPI_ERR_COUNT, MPI_Send(&value, -1, MPI_INT, 0, 0, comm));
  FAILS(MPI_ERR_TAG, MPI_Send(&value, 1, MPI_INT, 0, -5, comm));
  FAILS(MPI_ERR_TYPE, MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, comm));
  FAILS(MPI_ERR_BUFFER, MPI_Ssend(NULL, 1, MPI_INT, 0, 0, comm));
  /* No buffer is attached. */
  FAILS(MPI_ERR_BUFFER, MPI_Bsend(&value, 1, MPI_INT, 0, 0, comm));
  FAILS(MPI_ERR_RANK, MPI_Isend(&value, 1, MPI_INT, size, 0, comm, &request));
  FAILS(MPI_ERR_TYPE, MPI_Isend(&value, 1, MPI_DATATYPE_NULL, 0, 0, comm, &request));
  FAILS(MPI_ERR_RANK, MPI_Irecv(&value, 1, MPI_INT, size, 0, comm, &request));
  FAILS(MPI_ERR_RANK, MPI_Recv(&value, 1, MPI_INT, size, 0, comm, &status));
  FAILS(MPI_ERR_COUNT, MPI_Recv(&value, -1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE));
  FAILS(MPI_ERR_RANK, MPI_Sendrecv(&value, 1, MPI_INT, size, 0, &value, 1, MPI_INT, 0, 0, comm,
                                   MPI_STATUS_IGNORE));
  FAILS(MPI_ERR_RANK, MPI_Send_init(&value, 1, MPI_INT, size, 0, comm, &request));
  FAILS(MPI_ERR_RANK, MPI_Probe(size, 0, comm, &status));
  FAILS(MPI_ERR_ROOT, MPI_Bcast(&value, 1, MPI_INT, size, comm));
  FAILS(MPI_ERR_COUNT, MPI_Bcast(&value, -1, MPI_INT, 0, comm));
  FAILS(MPI_ERR_OP, MPI_Allreduce(&value, &index, 1, MPI_INT, MPI_OP_NULL, comm));
  FAILS(MPI_ERR_TYPE, MPI_Ibcast(&value, 1, MPI_DATATYPE_NULL, 0, comm, &request));
  counts[0] = -1;
  if (kLooks) {
    FAILS(MPI_ERR_COUNT, MPI_Allgatherv(&value, 1, MPI_INT, counts, counts, counts, MPI_INT, comm));
  }
  FAILS(kNoRequest, MPI_Wait(no_request, &status));
  FAILS(kNoRequest, MPI_Waitall(1, no_request, MPI_STATUSES_IGNORE));
  FAILS(MPI_ERR_ARG, MPI_Test(&request, NULL, &status));
  FAILS(kWrongCount, MPI_Testany(-1, &request, &index, &flag, &status));
  FAILS(MPI_ERR_REQUEST, MPI_Start(&request)); /* a null request */
  FAILS(MPI_ERR_REQUEST, MPI_Cancel(&request));
  FAILS(MPI_ERR_REQUEST, MPI_Request_free(&request));
  FAILS(MPI_ERR_COMM, MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL));
  FAILS(MPI_ERR_COMM, MPI_Barrier(MPI_COMM_NULL));
  FAILS(MPI_ERR_COMM, MPI_Comm_dup(MPI_COMM_NULL, &fresh));
  FAILS(MPI_ERR_COMM, MPI_Comm_free(&fresh));
  if (kLooks) CHECK(error_class(MPI_Comm_free(NULL)) != MPI_SUCCESS);
  fresh = MPI_COMM_WORLD;
  CHECK(MPI_Comm_free(&fresh) != MPI_SUCCESS);
  CHECK(error_class(MPI_Cart_create(comm, 1, (int[]){size + 1}, counts, 0, &fresh)) != MPI_SUCCESS);
}

/* A message that is longer than its buffer is received as far as it fits. */
static void truncated(MPI_Comm comm) {
  if (!kLooks && size == 1) return; /* a truncated message to itself: Open MPI reports no error */
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  int out[4] = {rank, 1, 2, 3}, in[4] = {-1, -1, -1, -1};
  MPI_Request requests[3];
  MPI_Status statuses[3];

  OK(MPI_Isend(out, 4, MPI_INT, next, 1, comm, &requests[0]));
  FAILS(MPI_ERR_TRUNCATE, MPI_Recv(in, 2, MPI_INT, previous, 1, comm, MPI_STATUS_IGNORE));
  OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));

  OK(MPI_Irecv(in, 2, MPI_INT, previous, 2, comm, &requests[1]));
  OK(MPI_Isend(out, 4, MPI_INT, next, 2, comm, &requests[0]));
  FAILS(MPI_ERR_TRUNCATE, MPI_Wait(&requests[1], &statuses[0]));
  CHECK(requests[1] == MPI_REQUEST_NULL);
  OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));

  /* One of three requests fails; the status shows which one. */
  for (int with = 0; with < 2; ++with) {
    OK(MPI_Irecv(in, 4, MPI_INT, previous, 3, comm, &requests[0]));
    OK(MPI_Irecv(in, 2, MPI_INT, previous, 4, comm, &requests[1]));
    OK(MPI_Isend(out, 4, MPI_INT, next, 3, comm, &requests[2]));
    OK(MPI_Send(out, 3, MPI_INT, next, 4, comm));
    OK(MPI_Wait(&requests[2], MPI_STATUS_IGNORE));
    requests[2] = MPI_REQUEST_NULL;
    FAILS(MPI_ERR_IN_STATUS, MPI_Waitall(3, requests, with ? statuses : MPI_STATUSES_IGNORE));
    if (with) {
      CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS && statuses[2].MPI_ERROR == MPI_SUCCESS);
      CHECK(error_class(statuses[1].MPI_ERROR) == MPI_ERR_TRUNCATE);
    }
    CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
  }
  int flag = 0;
  OK(MPI_Irecv(in, 2, MPI_INT, previous, 5, comm, &requests[0]));
  OK(MPI_Isend(out, 4, MPI_INT, next, 5, comm, &requests[1]));
  int code = MPI_SUCCESS;
  while (!flag && code == MPI_SUCCESS) code = MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  CHECK(error_class(code) == MPI_ERR_TRUNCATE);
  OK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
  records("MPI_SEND", 2 + 3);
  records("MPI_RECV", 1 + 3);
  records("MPI_ISEND", 5);
  records("MPI_ISEND_COMPLETE", 5);
  records("MPI_IRECV_REQUEST", 6);
  records("MPI_IRECV", 6);
  /* Messages are still matched correctly: the following ones come in order. */
  for (int i = 0; i < 3; ++i) {
    in[0] = -1;
    OK(MPI_Sendrecv(&i, 1, MPI_INT, next, 1, in, 1, MPI_INT, previous, 1, comm, MPI_STATUS_IGNORE));
    CHECK(in[0] == i);
  }
}

/* Invalid and uncommitted datatypes: only the handler of the communicator is called. The world's
   handler would end the program. */
static void no_datatypes(MPI_Comm comm) {
  int value = 0, *limit = NULL, flag = 0;
  const MPI_Datatype wrong = (MPI_Datatype)0x12345678;
  MPI_Datatype fresh;
  MPI_Request request;
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
  OK(MPI_Type_contiguous(2, MPI_INT, &fresh));
  FAILS(MPI_ERR_TYPE, MPI_Send(&value, 1, fresh, 0, 0, comm));
  FAILS(MPI_ERR_TYPE, MPI_Isend(&value, 1, fresh, 0, 0, comm, &request));
  OK(MPI_Type_free(&fresh));
  if (kLooks) {
    FAILS(MPI_ERR_TYPE, MPI_Send(&value, 1, wrong, 0, 0, comm));
    FAILS(MPI_ERR_TYPE, MPI_Isend(&value, 1, wrong, 0, 0, comm, &request));
    FAILS(MPI_ERR_TYPE, MPI_Bcast(&value, 1, wrong, 0, comm));
  }
  OK(MPI_Comm_get_attr(comm, MPI_TAG_UB, &limit, &flag));
  if (*limit < 2147483647) FAILS(MPI_ERR_TAG, MPI_Send(&value, 1, MPI_INT, 0, *limit + 1, comm));
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
}

static void own_handlers(MPI_Comm comm) {
  MPI_Errhandler handler, got;
  int value = 0, code;
  OK(MPI_Comm_create_errhandler(count_errors, &handler));
  OK(MPI_Comm_set_errhandler(comm, handler));
  OK(MPI_Comm_get_errhandler(comm, &got));
  CHECK(got == handler);
  OK(MPI_Errhandler_free(&got));
  handled = 0;
  code = MPI_Send(&value, 1, MPI_INT, size, 0, comm);
  CHECK(handled == 1 && last_code == code && last_comm == comm);
  CHECK(error_class(code) == MPI_ERR_RANK);
  code = MPI_Bcast(&value, 1, MPI_DATATYPE_NULL, 0, comm);
  CHECK(handled == 2 && last_code == code && error_class(code) == MPI_ERR_TYPE);
  OK(MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER));
  CHECK(handled == 3 && last_code == MPI_ERR_OTHER);
  /* Copies inherit the handler, other communicators do not call it. */
  MPI_Comm copy;
  OK(MPI_Comm_dup(comm, &copy));
  CHECK(MPI_Send(&value, 1, MPI_INT, size, 0, copy) != MPI_SUCCESS);
  CHECK(handled == 4 && last_comm == copy);
  OK(MPI_Comm_free(&copy));
  OK(MPI_Errhandler_free(&handler));
  CHECK(handler == MPI_ERRHANDLER_NULL);
  CHECK(handled == 4);
}

static void own_codes(void) {
  int class = 0, code = 0, length = 0;
  char text[MPI_MAX_ERROR_STRING];
  OK(MPI_Add_error_class(&class));
  OK(MPI_Add_error_code(class, &code));
  OK(MPI_Add_error_string(code, "too late"));
  OK(MPI_Error_string(code, text, &length));
  CHECK(strcmp(text, "too late") == 0);
  CHECK(error_class(code) == class);
}

void errors(void) {
  MPI_Comm comm;
  MPI_Errhandler got;
  /* Errors without a communicator go to the handler of the world, or of self. */
  OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got));
  CHECK(got == MPI_ERRORS_ARE_FATAL);
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  refused(comm);
  no_datatypes(comm);
  truncated(comm);
  own_handlers(comm);
  own_codes();
  OK(MPI_Comm_free(&comm));
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
  /* Two communicators. Refused calls leave no record, truncated messages do. */
  records("MPI_COLLECTIVE_END", 4);
  records("COMM_CREATE", 2);
  records("COMM_DESTROY", 2);
}
