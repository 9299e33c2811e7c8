/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistent messages in all modes, started and completed several times. */
#include "conform.h"

enum { kModes = 8, kRounds = 3 };
static int next, previous;
static int in[kModes], out[kModes];

static void make(MPI_Request* receives, MPI_Request* sends) {
  typedef int (*Init)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  typedef int (*InitLarge)(const void*, LargeCount, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  const Init inits[] = {MPI_Send_init, MPI_Bsend_init, MPI_Ssend_init, MPI_Rsend_init};
  const InitLarge large[] = {MPI_Send_init_c, MPI_Bsend_init_c, MPI_Ssend_init_c, MPI_Rsend_init_c};
  for (int i = 0; i < kModes; ++i) {
    if (i % 2 == 0) {
      OK(inits[i / 2](&out[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, &sends[i]));
      OK(MPI_Recv_init(&in[i], 1, MPI_INT, previous, i, MPI_COMM_WORLD, &receives[i]));
    } else {
      OK(large[i / 2](&out[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, &sends[i]));
      OK(MPI_Recv_init_c(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &receives[i]));
    }
  }
}

static void complete(int round, MPI_Request* receives, MPI_Request* sends) {
  MPI_Status statuses[kModes];
  if (round == 0) {
    OK(MPI_Waitall(kModes, receives, statuses));
    for (int i = 0; i < kModes; ++i) CHECK(statuses[i].MPI_SOURCE == previous);
    for (int i = 0; i < kModes; ++i) OK(MPI_Wait(&sends[i], MPI_STATUS_IGNORE));
  } else if (round == 1) {
    for (int flag = 0; !flag;) OK(MPI_Testall(kModes, receives, &flag, MPI_STATUSES_IGNORE));
    for (int i = 0; i < kModes; ++i) {
      int index = -1;
      OK(MPI_Waitany(kModes, sends, &index, MPI_STATUS_IGNORE));
      CHECK(index >= 0 && index < kModes);
    }
  } else {
    for (int done = 0; done < kModes;) {
      int count = 0, indices[kModes];
      OK(MPI_Waitsome(kModes, receives, &count, indices, statuses));
      CHECK(count > 0 && statuses[0].MPI_TAG == indices[0]);
      done += count;
    }
    for (int i = 0; i < kModes; ++i) {
      for (int flag = 0; !flag;) OK(MPI_Test(&sends[i], &flag, MPI_STATUS_IGNORE));
    }
  }
}

void persistent(void) {
  MPI_Request receives[kModes], sends[kModes];
  char buffer[4 * kRounds * (MPI_BSEND_OVERHEAD + 64)];
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  OK(MPI_Buffer_attach(buffer, sizeof buffer));
  make(receives, sends);
  for (int round = 0; round < kRounds; ++round) {
    const MPI_Request first = sends[0];
    for (int i = 0; i < kModes; ++i) {
      in[i] = -1;
      out[i] = 100 * round + rank;
    }
    OK(MPI_Startall(kModes, receives));
    OK(MPI_Barrier(MPI_COMM_WORLD)); /* for the ready mode */
    if (round == 0) {
      OK(MPI_Startall(kModes, sends));
    } else {
      for (int i = 0; i < kModes; ++i) OK(MPI_Start(&sends[i]));
    }
    complete(round, receives, sends);
    CHECK(sends[0] == first);
    for (int i = 0; i < kModes; ++i) CHECK(in[i] == 100 * round + previous);
  }
  for (int i = 0; i < kModes; ++i) {
    OK(MPI_Request_free(&receives[i]));
    OK(MPI_Request_free(&sends[i]));
    CHECK(sends[i] == MPI_REQUEST_NULL);
  }
  void* detached = NULL;
  int length = 0;
  OK(MPI_Buffer_detach(&detached, &length));
  CHECK(detached == buffer);
  records("MPI_ISEND", kModes * kRounds);
  records("MPI_ISEND_COMPLETE", kModes * kRounds);
  records("MPI_IRECV_REQUEST", kModes * kRounds);
  records("MPI_IRECV", kModes * kRounds);
  records("MPI_COLLECTIVE_END", kRounds);
}
