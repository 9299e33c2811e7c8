/* SPDX-License-Identifier: BSD-3-Clause */
/* Two groups that communicate through an intercommunicator; needs two processes. */
#include "conform.h"

static MPI_Comm local, inter;
static int me, here, there, low;

static void messages(MPI_Comm comm) {
  const int partner = me % there;
  int in = -1;
  MPI_Status status;
  /* Every process of the larger group has one partner, which answers all its messages. */
  if (here >= there) {
    OK(MPI_Send(&me, 1, MPI_INT, partner, 90, comm));
    OK(MPI_Recv(&in, 1, MPI_INT, partner, 91, comm, &status));
    CHECK(in == partner && status.MPI_SOURCE == partner);
    records("MPI_SEND", 1);
    records("MPI_RECV", 1);
  } else {
    for (int other = me; other < there; other += here) {
      OK(MPI_Recv(&in, 1, MPI_INT, other, 90, comm, MPI_STATUS_IGNORE));
      CHECK(in == other);
      OK(MPI_Send(&me, 1, MPI_INT, other, 91, comm));
      records("MPI_SEND", 1);
      records("MPI_RECV", 1);
    }
  }
}

/* This function handles equal groups, which would otherwise both act as the larger one. */
static void equal_messages(MPI_Comm comm) {
  int in = -1;
  OK(MPI_Sendrecv(&me, 1, MPI_INT, me, 92, &in, 1, MPI_INT, me, 92, comm, MPI_STATUS_IGNORE));
  CHECK(in == me);
  records("MPI_SEND", 1);
  records("MPI_RECV", 1);
}

static void collective_operations(MPI_Comm comm) {
  int value = low ? -1 : 7, all[64], sum = 0;
  const int root = low ? 0 : me == 0 ? MPI_ROOT : MPI_PROC_NULL;
  OK(MPI_Bcast(&value, 1, MPI_INT, root, comm));
  CHECK(value == 7);
  OK(MPI_Allgather(&me, 1, MPI_INT, all, 1, MPI_INT, comm));
  for (int i = 0; i < there; ++i) CHECK(all[i] == i);
  OK(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm));
  CHECK(sum == there * (there - 1) / 2);
  OK(MPI_Gather(&me, 1, MPI_INT, all, 1, MPI_INT, root, comm));
  OK(MPI_Barrier(comm));
  MPI_Request request;
  sum = 0;
  OK(MPI_Iallreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(sum == there * (there - 1) / 2);
  records("MPI_COLLECTIVE_END", 5);
  records("NON_BLOCKING_COLLECTIVE_REQUEST", 1);
  records("NON_BLOCKING_COLLECTIVE_COMPLETE", 1);
}

static void use(MPI_Comm comm) {
  int is_inter = 0, remote = -1;
  OK(MPI_Comm_test_inter(comm, &is_inter));
  OK(MPI_Comm_remote_size(comm, &remote));
  CHECK(is_inter && remote == there);
  if (here == there) {
    equal_messages(comm);
  } else {
    messages(comm);
  }
  collective_operations(comm);
}

/* Merges the intercommunicator with this side first or last, and frees the result. */
static void merge(MPI_Comm comm, int last) {
  MPI_Comm merged;
  int rank_there = -1, n = -1;
  OK(MPI_Intercomm_merge(comm, last, &merged));
  OK(MPI_Comm_rank(merged, &rank_there));
  OK(MPI_Comm_size(merged, &n));
  CHECK(n == here + there && rank_there == (last ? there + me : me));
  int sum = 0;
  OK(MPI_Allreduce(&rank_there, &sum, 1, MPI_INT, MPI_SUM, merged));
  CHECK(sum == n * (n - 1) / 2);
  OK(MPI_Comm_free(&merged));
  records("MPI_COLLECTIVE_END", 3);
  records("COMM_CREATE", 1);
  records("COMM_DESTROY", 1);
}

void intercommunicators(void) {
  if (size < 2) return;
  const int first = (size + 1) / 2; /* number of ranks in the lower group */
  low = rank < first;
  OK(MPI_Comm_split(MPI_COMM_WORLD, low, rank, &local));
  OK(MPI_Comm_rank(local, &me));
  OK(MPI_Comm_size(local, &here));
  there = size - here;
  OK(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, low ? first : 0, 3, &inter));
  use(inter);
  merge(inter, low);
  merge(inter, !low);

  MPI_Comm copy, part;
  OK(MPI_Comm_dup(inter, &copy));
  use(copy);
  OK(MPI_Comm_free(&copy));
  /* The part has one process of each side. */
  OK(MPI_Comm_split(inter, me == 0 ? 0 : MPI_UNDEFINED, 0, &part));
  CHECK((part != MPI_COMM_NULL) == (me == 0));
  if (part != MPI_COMM_NULL) {
    int in = -1;
    OK(MPI_Sendrecv(&rank, 1, MPI_INT, 0, 93, &in, 1, MPI_INT, 0, 93, part, MPI_STATUS_IGNORE));
    CHECK(in == (low ? first : 0));
    OK(MPI_Comm_free(&part));
    records("MPI_SEND", 1);
    records("MPI_RECV", 1);
    records("MPI_COLLECTIVE_END", 1);
    records("COMM_CREATE", 1);
    records("COMM_DESTROY", 1);
  }
  OK(MPI_Comm_free(&inter));
  OK(MPI_Comm_free(&local));
  records("MPI_COLLECTIVE_END", 7);
  records("COMM_CREATE", 3);
  records("COMM_DESTROY", 3);
}
