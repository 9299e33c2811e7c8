/* SPDX-License-Identifier: BSD-3-Clause */
/* Probes, and receives of probed messages. */
#include "conform.h"

enum { kTag = 5 };
static int next, previous;
static int in[8];

static int out[8];
static MPI_Request sends[8];
static int sent = 0;

/* A nonblocking send, since MPI_Send to itself may wait for the receive. */
static void send(int count) {
  for (int i = 0; i < 8; ++i) out[i] = rank * 8 + i;
  OK(MPI_Isend(out, count, MPI_INT, next, kTag, MPI_COMM_WORLD, &sends[sent++]));
  records("MPI_ISEND", 1);
  records("MPI_ISEND_COMPLETE", 1);
}

static int is_from_previous(MPI_Status status, int count) {
  int got = -1;
  OK(MPI_Get_count(&status, MPI_INT, &got));
  return status.MPI_SOURCE == previous && status.MPI_TAG == kTag && got == count;
}

static int has_arrived(int count) {
  for (int i = 0; i < count; ++i) {
    if (in[i] != previous * 8 + i) return 0;
  }
  memset(in, -1, sizeof in);
  return 1;
}

static void plain_probes(void) {
  MPI_Status status, again;
  send(3);
  OK(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
  CHECK(is_from_previous(status, 3));
  int flag = 0;
  OK(MPI_Iprobe(previous, kTag, MPI_COMM_WORLD, &flag, &again));
  CHECK(flag && is_from_previous(again, 3));
  OK(MPI_Recv(in, 8, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
              MPI_STATUS_IGNORE));
  CHECK(has_arrived(3));
  OK(MPI_Iprobe(previous, kTag + 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
  CHECK(!flag);
  records("MPI_RECV", 1);
}

static void matched_probes(void) {
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  MPI_Request request;
  send(2);
  OK(MPI_Mprobe(previous, kTag, MPI_COMM_WORLD, &message, &status));
  CHECK(message != MPI_MESSAGE_NULL && is_from_previous(status, 2));
  OK(MPI_Mrecv(in, 8, MPI_INT, &message, &status));
  CHECK(message == MPI_MESSAGE_NULL && is_from_previous(status, 2) && has_arrived(2));

  send(4);
  for (int flag = 0; !flag;) {
    OK(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status));
  }
  CHECK(is_from_previous(status, 4));
  OK(MPI_Imrecv(in, 8, MPI_INT, &message, &request));
  CHECK(message == MPI_MESSAGE_NULL);
  OK(MPI_Wait(&request, &status));
  CHECK(is_from_previous(status, 4) && has_arrived(4));

  /* Two messages are matched and then received in reverse order, with the large-count forms. */
  MPI_Message second = MPI_MESSAGE_NULL;
  send(5);
  send(6);
  OK(MPI_Mprobe(previous, kTag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
  OK(MPI_Mprobe(previous, kTag, MPI_COMM_WORLD, &second, &status));
  CHECK(is_from_previous(status, 6));
  OK(MPI_Mrecv_c(in, 8, MPI_INT, &second, MPI_STATUS_IGNORE));
  CHECK(has_arrived(6));
  OK(MPI_Imrecv_c(in, 8, MPI_INT, &message, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(has_arrived(5));
  records("MPI_IRECV_REQUEST", 4);
  records("MPI_IRECV", 4);
}

static void nobody(void) {
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  MPI_Request request;
  int flag = 0;
  OK(MPI_Probe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status));
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
  OK(MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
  CHECK(flag);
  OK(MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status));
  CHECK(message == MPI_MESSAGE_NO_PROC);
  OK(MPI_Mrecv(in, 8, MPI_INT, &message, &status));
  CHECK(message == MPI_MESSAGE_NULL && status.MPI_SOURCE == MPI_PROC_NULL);
  OK(MPI_Improbe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE));
  CHECK(flag && message == MPI_MESSAGE_NO_PROC);
  OK(MPI_Imrecv(in, 8, MPI_INT, &message, &request));
  OK(MPI_Wait(&request, &status));
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
}

void probes(void) {
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  memset(in, -1, sizeof in);
  plain_probes();
  matched_probes();
  nobody();
  OK(MPI_Waitall(sent, sends, MPI_STATUSES_IGNORE));
}
