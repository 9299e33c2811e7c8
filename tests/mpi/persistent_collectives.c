/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistent collective operations, each started twice and one at a time. Gather, scatter and
   allgather are left out. In MPICH 4.0 these copy at the wrong time, fail when they are started
   again, or hang. */
#include "conform.h"

#if MPI_VERSION < 4
void persistent_collectives(void) {
  if (rank == 0) skip_mpi_4();
}
#else
enum { kMost = 32, kOperations = 17 };
static int ones[kMost], order[kMost], byte_index[kMost];
static MPI_Datatype types[kMost];
static int in[kOperations][kMost], out[kMost];

static void make(MPI_Request* r) {
  const MPI_Datatype t = MPI_INT;
  const MPI_Comm comm = MPI_COMM_WORLD;
  const MPI_Info info = MPI_INFO_NULL;
  OK(MPI_Barrier_init(comm, info, &r[0]));
  OK(MPI_Bcast_init(in[1], 2, t, 0, comm, info, &r[1]));
  OK(MPI_Allreduce_init_c(out, in[2], 1, t, MPI_MAX, comm, info, &r[2]));
  OK(MPI_Gatherv_init(out, 1, t, in[3], ones, order, t, 0, comm, info, &r[3]));
  OK(MPI_Alltoall_init_c(out, 1, t, in[4], 1, t, comm, info, &r[4]));
  OK(MPI_Scatterv_init(out, ones, order, t, in[5], 1, t, 0, comm, info, &r[5]));
  OK(MPI_Alltoall_init(out, 1, t, in[6], 1, t, comm, info, &r[6]));
  OK(MPI_Reduce_init_c(out, in[7], 1, t, MPI_MIN, 0, comm, info, &r[7]));
  OK(MPI_Alltoall_init(out, 1, t, in[8], 1, t, comm, info, &r[8]));
  OK(MPI_Alltoallv_init(out, ones, order, t, in[9], ones, order, t, comm, info, &r[9]));
  OK(MPI_Alltoallw_init(out, ones, byte_index, types, in[10], ones, byte_index, types, comm, info,
                        &r[10]));
  OK(MPI_Allreduce_init(out, in[11], 1, t, MPI_SUM, comm, info, &r[11]));
  OK(MPI_Reduce_init(out, in[12], 1, t, MPI_SUM, 0, comm, info, &r[12]));
  OK(MPI_Reduce_scatter_init(out, in[13], ones, t, MPI_SUM, comm, info, &r[13]));
  OK(MPI_Reduce_scatter_block_init(out, in[14], 1, t, MPI_SUM, comm, info, &r[14]));
  OK(MPI_Scan_init_c(out, in[15], 1, t, MPI_SUM, comm, info, &r[15]));
  OK(MPI_Exscan_init_c(out, in[16], 1, t, MPI_SUM, comm, info, &r[16]));
}

static void finished(int round) {
  const int sum = 100 * size * (size - 1) / 2 + round * size;
  CHECK(in[1][1] == 78 + round);
  for (int i = 0; i < size; ++i) {
    const int of_i = 100 * i + round;
    CHECK(in[2][0] == 100 * (size - 1) + round && in[4][i] == of_i + rank);
    if (rank == 0) CHECK(in[3][i] == of_i && in[7][0] == round);
    CHECK(in[6][i] == of_i + rank);
    for (int k = 8; k < 11; ++k) CHECK(in[k][i] == of_i + rank);
  }
  CHECK(in[5][0] == round + rank);
  CHECK(in[11][0] == sum && (rank != 0 || in[12][0] == sum));
  CHECK(in[13][0] == sum + size * rank && in[14][0] == sum + size * rank);
  CHECK(in[15][0] == 100 * rank * (rank + 1) / 2 + round * (rank + 1));
}

void persistent_collectives(void) {
  MPI_Request r[kOperations];
  for (int i = 0; i < kMost; ++i) {
    ones[i] = 1;
    order[i] = i;
    byte_index[i] = i * (int)sizeof(int);
    types[i] = MPI_INT;
  }
  make(r);
  for (int round = 0; round < 2; ++round) {
    memset(in, -1, sizeof in);
    if (rank == 0) in[1][1] = 78 + round;
    for (int i = 0; i < kMost; ++i) out[i] = 100 * rank + i + round;
    for (int i = 0; i < kOperations; ++i) {
      if (round == 0) {
        OK(MPI_Startall(1, &r[i]));
        OK(MPI_Waitall(1, &r[i], MPI_STATUSES_IGNORE));
      } else {
        OK(MPI_Start(&r[i]));
        for (int flag = 0; !flag;) OK(MPI_Test(&r[i], &flag, MPI_STATUS_IGNORE));
      }
    }
    finished(round);
  }
  for (int i = 0; i < kOperations; ++i) {
    CHECK(r[i] != MPI_REQUEST_NULL);
    OK(MPI_Request_free(&r[i]));
  }
  records("NON_BLOCKING_COLLECTIVE_REQUEST", 2 * kOperations);
  records("NON_BLOCKING_COLLECTIVE_COMPLETE", 2 * kOperations);
}
#endif
