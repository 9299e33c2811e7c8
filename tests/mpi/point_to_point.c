/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocking and nonblocking messages in all modes, MPI_PROC_NULL, wildcards, empty messages. */
#include "conform.h"

typedef int (*Send)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
typedef int (*Isend)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
typedef int (*SendLarge)(const void*, LargeCount, MPI_Datatype, int, int, MPI_Comm);
typedef int (*IsendLarge)(const void*, LargeCount, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

static int next, previous;

static int is_status(MPI_Status status, int source, int tag, int count) {
  int got = -1;
  OK(MPI_Get_count(&status, MPI_INT, &got));
  return status.MPI_SOURCE == source && status.MPI_TAG == tag && got == count;
}

/* A ring in which the receive is posted before the send. This suits all modes, even the ready
   one. */
static void modes(void) {
  const Send sends[] = {MPI_Send, MPI_Bsend, MPI_Ssend, MPI_Rsend};
  const SendLarge large[] = {MPI_Send_c, MPI_Bsend_c, MPI_Ssend_c, MPI_Rsend_c};
  const Isend isends[] = {MPI_Isend, MPI_Ibsend, MPI_Issend, MPI_Irsend};
  const IsendLarge ilarge[] = {MPI_Isend_c, MPI_Ibsend_c, MPI_Issend_c, MPI_Irsend_c};
  char buffer[16 * (MPI_BSEND_OVERHEAD + 64)];
  OK(MPI_Buffer_attach(buffer, sizeof buffer));
  for (int i = 0; i < 16; ++i) {
    const int mode = i / 4;
    int out[2] = {rank, i}, in[2] = {-1, -1};
    MPI_Request receive, send = MPI_REQUEST_NULL;
    MPI_Status status;
    OK(MPI_Irecv(in, 2, MPI_INT, previous, i, MPI_COMM_WORLD, &receive));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    switch (i % 4) {
      case 0:
        OK(sends[mode](out, 2, MPI_INT, next, i, MPI_COMM_WORLD));
        break;
      case 1:
        OK(large[mode](out, 2, MPI_INT, next, i, MPI_COMM_WORLD));
        break;
      case 2:
        OK(isends[mode](out, 2, MPI_INT, next, i, MPI_COMM_WORLD, &send));
        CHECK(send != MPI_REQUEST_NULL);
        break;
      default:
        OK(ilarge[mode](out, 2, MPI_INT, next, i, MPI_COMM_WORLD, &send));
        CHECK(send != MPI_REQUEST_NULL);
    }
    OK(MPI_Wait(&receive, &status));
    CHECK(receive == MPI_REQUEST_NULL);
    CHECK(is_status(status, previous, i, 2));
    CHECK(in[0] == previous && in[1] == i);
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    CHECK(send == MPI_REQUEST_NULL);
  }
  void* detached = NULL;
  int length = 0;
  OK(MPI_Buffer_detach(&detached, &length));
  CHECK(detached == buffer && length == (int)sizeof buffer);
  records("MPI_SEND", 8);
  records("MPI_ISEND", 8);
  records("MPI_ISEND_COMPLETE", 8);
  records("MPI_IRECV_REQUEST", 16);
  records("MPI_IRECV", 16);
  records("MPI_COLLECTIVE_END", 16);
}

static void combined(void) {
  int out = rank, in = -1;
  MPI_Status status;
  OK(MPI_Sendrecv(&out, 1, MPI_INT, next, 1, &in, 1, MPI_INT, previous, 1, MPI_COMM_WORLD,
                  &status));
  CHECK(is_status(status, previous, 1, 1));
  CHECK(in == previous);
  OK(MPI_Sendrecv_c(&out, 1, MPI_INT, next, 1, &in, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
  OK(MPI_Sendrecv_replace(&out, 1, MPI_INT, next, 2, previous, MPI_ANY_TAG, MPI_COMM_WORLD,
                          &status));
  CHECK(is_status(status, previous, 2, 1));
  CHECK(out == previous);
  out = rank;
  OK(MPI_Sendrecv_replace_c(&out, 1, MPI_INT, next, 2, previous, 2, MPI_COMM_WORLD,
                            MPI_STATUS_IGNORE));
  CHECK(out == previous);
  /* Only one half of the operation has a partner. */
  in = -1;
  OK(MPI_Sendrecv(&out, 1, MPI_INT, MPI_PROC_NULL, 3, &in, 1, MPI_INT, MPI_PROC_NULL, 3,
                  MPI_COMM_WORLD, &status));
  CHECK(is_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0));
  CHECK(in == -1);
  records("MPI_SEND", 4);
  records("MPI_RECV", 4);

#if MPI_VERSION >= 4
  MPI_Request request;
  int another = rank;
  out = rank;
  OK(MPI_Isendrecv(&out, 1, MPI_INT, next, 4, &in, 1, MPI_INT, previous, 4, MPI_COMM_WORLD,
                   &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE)); /* MPICH 4.0 leaves garbage in the status */
  CHECK(in == previous);
  /* The call is neither used with MPI_PROC_NULL nor to send to itself in place: MPICH 4.0
     crashes. */
  if (size > 1) {
    OK(MPI_Isendrecv_replace(&another, 1, MPI_INT, next, 5, previous, 5, MPI_COMM_WORLD, &request));
  } else {
    OK(MPI_Isendrecv_c(&out, 1, MPI_INT, next, 5, &another, 1, MPI_INT, previous, 5, MPI_COMM_WORLD,
                       &request));
  }
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(another == previous);
  records("MPI_ISEND", 2);
  records("MPI_ISEND_COMPLETE", 2);
  records("MPI_IRECV_REQUEST", 2);
  records("MPI_IRECV", 2);
#endif
}

static void proc_null(void) {
  int value = 7;
  MPI_Status status;
  MPI_Request requests[3];
  OK(MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
  OK(MPI_Ssend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
  OK(MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status));
  CHECK(is_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0));
  OK(MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  OK(MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]));
  OK(MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]));
  OK(MPI_Recv_init(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[2]));
  OK(MPI_Start(&requests[2]));
  MPI_Status statuses[3];
  OK(MPI_Waitall(3, requests, statuses));
  CHECK(is_status(statuses[1], MPI_PROC_NULL, MPI_ANY_TAG, 0));
  CHECK(requests[0] == MPI_REQUEST_NULL && requests[2] != MPI_REQUEST_NULL);
  OK(MPI_Request_free(&requests[2]));
  CHECK(value == 7);
}

/* All processes send to rank 0, which also sends to itself. */
static void wildcards(void) {
  enum { kEach = 3 };
  MPI_Request requests[kEach];
  int values[kEach];
  for (int i = 0; i < kEach; ++i) {
    values[i] = rank * 100 + i;
    OK(MPI_Isend(&values[i], 1, MPI_INT, 0, 10 + i, MPI_COMM_WORLD, &requests[i]));
  }
  if (rank == 0) {
    int last[64], sum = 0;
    memset(last, -1, sizeof last);
    for (int i = 0; i < kEach * size; ++i) {
      int in = -1;
      MPI_Status status;
      OK(MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
      const int source = status.MPI_SOURCE;
      CHECK(source >= 0 && source < size);
      CHECK(in == source * 100 + status.MPI_TAG - 10);
      CHECK(status.MPI_TAG > last[source]); /* messages keep their order */
      last[source] = status.MPI_TAG;
      sum += in;
    }
    CHECK(sum == kEach * 100 * size * (size - 1) / 2 + size * kEach * (kEach - 1) / 2);
    records("MPI_RECV", kEach * size);
  } else {
    records("MPI_RECV", 0);
  }
  OK(MPI_Waitall(kEach, requests, MPI_STATUSES_IGNORE));
  OK(MPI_Barrier(MPI_COMM_WORLD)); /* so that the wildcards match nothing else */
  records("MPI_COLLECTIVE_END", 1);
  records("MPI_ISEND", kEach);
  records("MPI_ISEND_COMPLETE", kEach);
}

static void sizes(void) {
  enum { kLong = 1 << 17 }; /* far above every eager limit */
  const int counts[] = {0, 1, 100, kLong};
  int* out = malloc(sizeof(int) * kLong);
  int* in = malloc(sizeof(int) * kLong);
  for (int i = 0; i < kLong; ++i) out[i] = rank + i;
  for (int i = 0; i < 4; ++i) {
    MPI_Request requests[2];
    MPI_Status statuses[2];
    OK(MPI_Irecv_c(in, kLong, MPI_INT, previous, 20, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Isend(out, counts[i], MPI_INT, next, 20, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Waitall(2, requests, statuses));
    CHECK(is_status(statuses[0], previous, 20, counts[i]));
    LargeCount large = -1;
    OK(MPI_Get_count_c(&statuses[0], MPI_INT, &large));
    CHECK(large == counts[i]);
    CHECK(counts[i] == 0 || in[counts[i] - 1] == previous + counts[i] - 1);
  }
  free(out);
  free(in);
  records("MPI_ISEND", 4);
  records("MPI_ISEND_COMPLETE", 4);
  records("MPI_IRECV_REQUEST", 4);
  records("MPI_IRECV", 4);
}

/* Many small sends are pending at a time: MPI may give all of them one handle. */
static void many(void) {
  enum { kMany = 300 };
  static MPI_Request requests[2 * kMany];
  static int in[kMany], out[kMany];
  for (int i = 0; i < kMany; ++i) {
    out[i] = rank + i;
    OK(MPI_Irecv(&in[i], 1, MPI_INT, previous, i, MPI_COMM_WORLD, &requests[i]));
  }
  for (int i = 0; i < kMany; ++i) {
    OK(MPI_Isend(&out[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, &requests[kMany + i]));
  }
  OK(MPI_Waitall(2 * kMany, requests, MPI_STATUSES_IGNORE));
  for (int i = 0; i < kMany; ++i) CHECK(in[i] == previous + i);
  for (int i = 0; i < 2 * kMany; ++i) CHECK(requests[i] == MPI_REQUEST_NULL);
  records("MPI_ISEND", kMany);
  records("MPI_ISEND_COMPLETE", kMany);
  records("MPI_IRECV_REQUEST", kMany);
  records("MPI_IRECV", kMany);
}

void point_to_point(void) {
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  modes();
  combined();
  proc_null();
  wildcards();
  sizes();
  many();
}
