/* SPDX-License-Identifier: BSD-3-Clause */
/* Nonblocking collective operations: many are pending at a time, on several communicators. */
#include "conform.h"

enum { kMost = 32, kOperations = 17 };
static int ones[kMost], order[kMost], byte_index[kMost];
static MPI_Datatype types[kMost];
static int in[kOperations][kMost], out[kMost];

/* Starts all operations on one communicator; the program waits for them in any order. */
static void start(MPI_Comm comm, MPI_Request* r) {
  const MPI_Datatype t = MPI_INT;
  OK(MPI_Ibarrier(comm, &r[0]));
  OK(MPI_Ibcast(in[1], 2, t, 0, comm, &r[1]));
  OK(MPI_Igather(out, 1, t, in[2], 1, t, 0, comm, &r[2]));
  OK(MPI_Igatherv(out, 1, t, in[3], ones, order, t, 0, comm, &r[3]));
  OK(MPI_Iscatter(out, 1, t, in[4], 1, t, 0, comm, &r[4]));
  OK(MPI_Iscatterv(out, ones, order, t, in[5], 1, t, 0, comm, &r[5]));
  OK(MPI_Iallgather(out, 1, t, in[6], 1, t, comm, &r[6]));
  OK(MPI_Iallgatherv(out, 1, t, in[7], ones, order, t, comm, &r[7]));
  OK(MPI_Ialltoall(out, 1, t, in[8], 1, t, comm, &r[8]));
  OK(MPI_Ialltoallv(out, ones, order, t, in[9], ones, order, t, comm, &r[9]));
  OK(MPI_Ialltoallw(out, ones, byte_index, types, in[10], ones, byte_index, types, comm, &r[10]));
  OK(MPI_Iallreduce(out, in[11], 1, t, MPI_SUM, comm, &r[11]));
  OK(MPI_Ireduce(out, in[12], 1, t, MPI_SUM, 0, comm, &r[12]));
  OK(MPI_Ireduce_scatter(out, in[13], ones, t, MPI_SUM, comm, &r[13]));
  OK(MPI_Ireduce_scatter_block(out, in[14], 1, t, MPI_SUM, comm, &r[14]));
  OK(MPI_Iscan(out, in[15], 1, t, MPI_SUM, comm, &r[15]));
  OK(MPI_Iexscan(out, in[16], 1, t, MPI_SUM, comm, &r[16]));
  records("NON_BLOCKING_COLLECTIVE_REQUEST", kOperations);
  records("NON_BLOCKING_COLLECTIVE_COMPLETE", kOperations);
}

/* Checks the results: every rank has sent out[i] = 100 * (its rank) + i. */
static void finished(MPI_Comm comm) {
  int me = -1, n = -1;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &n);
  const int root_of_me = 100 * (comm == MPI_COMM_SELF ? rank : 0);
  const int sum = comm == MPI_COMM_SELF ? 100 * rank : 100 * n * (n - 1) / 2;
  CHECK(in[1][1] == 78);
  for (int i = 0; i < n; ++i) {
    const int of_i = comm == MPI_COMM_SELF ? 100 * rank : 100 * i;
    if (me == 0) CHECK(in[2][i] == of_i && in[3][i] == of_i);
    CHECK(in[6][i] == of_i && in[7][i] == of_i);
    for (int k = 8; k < 11; ++k) CHECK(in[k][i] == of_i + me);
  }
  CHECK(in[4][0] == root_of_me + me && in[5][0] == root_of_me + me);
  CHECK(in[11][0] == sum && (me != 0 || in[12][0] == sum));
  CHECK(in[13][0] == sum + n * me && in[14][0] == sum + n * me);
}

static void prepare(void) {
  memset(in, -1, sizeof in);
  if (rank == 0) in[1][1] = 78;
}

static void in_place(void) {
  int value = rank, all[kMost], flag = 0;
  MPI_Request r[3];
  all[rank] = rank;
  OK(MPI_Iallreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &r[0]));
  OK(MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD, &r[1]));
  OK(MPI_Ibcast_c(NULL, 0, MPI_INT, 0, MPI_COMM_WORLD, &r[2]));
  while (!flag) OK(MPI_Testall(3, r, &flag, MPI_STATUSES_IGNORE));
  CHECK(value == size - 1 && all[size - 1] == size - 1);
  records("NON_BLOCKING_COLLECTIVE_REQUEST", 3);
  records("NON_BLOCKING_COLLECTIVE_COMPLETE", 3);
}

void nonblocking(void) {
  MPI_Request r[2 * kOperations];
  MPI_Status statuses[kOperations];
  for (int i = 0; i < kMost; ++i) {
    ones[i] = 1;
    order[i] = i;
    byte_index[i] = i * (int)sizeof(int);
    types[i] = MPI_INT;
    out[i] = 100 * rank + i;
  }
  prepare();
  start(MPI_COMM_WORLD, r);
  OK(MPI_Waitall(kOperations, r, statuses));
  finished(MPI_COMM_WORLD);

  prepare();
  start(MPI_COMM_WORLD, r);
  for (int i = kOperations - 1; i >= 0; --i) {
    OK(MPI_Wait(&r[i], MPI_STATUS_IGNORE));
    CHECK(r[i] == MPI_REQUEST_NULL);
  }
  finished(MPI_COMM_WORLD);

  /* These operations are complete when they are started: MPI may give them all one handle. */
  memset(in, -1, sizeof in);
  in[1][1] = 78;
  start(MPI_COMM_SELF, r);
  for (int done = 0; done < kOperations;) {
    int count = 0, indices[kOperations];
    OK(MPI_Testsome(kOperations, r, &count, indices, MPI_STATUSES_IGNORE));
    done += count;
  }
  finished(MPI_COMM_SELF);

  MPI_Comm copy;
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  prepare();
  start(copy, r);
  for (int done = 0; done < kOperations; ++done) {
    int which = -1;
    OK(MPI_Waitany(kOperations, r, &which, &statuses[0]));
    CHECK(which >= 0);
  }
  finished(copy);
  OK(MPI_Comm_free(&copy));
  records("MPI_COLLECTIVE_END", 2);
  records("COMM_CREATE", 1);
  records("COMM_DESTROY", 1);
  in_place();
}
