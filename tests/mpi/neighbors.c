/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighborhood collectives in all forms on a directed ring and on a grid with edges. */
#include "conform.h"

static const MPI_Datatype kInt = MPI_INT;
static int in[4], out[4];
static int ones[4] = {1, 1, 1, 1}, order[4] = {0, 1, 2, 3};
static MPI_Aint places[4];
static MPI_Datatype types[4];

static void clear(void) { memset(in, -1, sizeof in); }

/* Checks the data from the previous process on the ring. */
static void arrived(void) {
  const int previous = (rank + size - 1) % size;
  CHECK(in[0] == 10 * previous);
  clear();
}

static void ring(void) {
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  MPI_Comm c;
  MPI_Request r[5];
  OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &previous, MPI_UNWEIGHTED, 1, &next,
                                    MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &c));
  clear();
  OK(MPI_Neighbor_allgather(out, 1, kInt, in, 1, kInt, c));
  arrived();
  OK(MPI_Neighbor_allgatherv(out, 1, kInt, in, ones, order, kInt, c));
  arrived();
  OK(MPI_Neighbor_alltoall(out, 1, kInt, in, 1, kInt, c));
  arrived();
  OK(MPI_Neighbor_alltoallv(out, ones, order, kInt, in, ones, order, kInt, c));
  arrived();
  OK(MPI_Neighbor_alltoallw(out, ones, places, types, in, ones, places, types, c));
  arrived();
  OK(MPI_Neighbor_alltoall_c(out, 1, kInt, in, 1, kInt, c));
  arrived();
  for (int i = 0; i < 5; ++i) {
    if (i == 0) OK(MPI_Ineighbor_allgather(out, 1, kInt, in, 1, kInt, c, &r[i]));
    if (i == 1) OK(MPI_Ineighbor_allgatherv(out, 1, kInt, in, ones, order, kInt, c, &r[i]));
    if (i == 2) OK(MPI_Ineighbor_alltoall(out, 1, kInt, in, 1, kInt, c, &r[i]));
    if (i == 3)
      OK(MPI_Ineighbor_alltoallv(out, ones, order, kInt, in, ones, order, kInt, c, &r[i]));
    if (i == 4) {
      OK(MPI_Ineighbor_alltoallw(out, ones, places, types, in, ones, places, types, c, &r[i]));
    }
    OK(MPI_Wait(&r[i], MPI_STATUS_IGNORE));
    arrived();
  }
#if MPI_VERSION >= 4
  OK(MPI_Neighbor_allgather_init(out, 1, kInt, in, 1, kInt, c, MPI_INFO_NULL, &r[0]));
  OK(MPI_Neighbor_allgatherv_init(out, 1, kInt, in, ones, order, kInt, c, MPI_INFO_NULL, &r[1]));
  OK(MPI_Neighbor_alltoall_init(out, 1, kInt, in, 1, kInt, c, MPI_INFO_NULL, &r[2]));
  OK(MPI_Neighbor_alltoallv_init(out, ones, order, kInt, in, ones, order, kInt, c, MPI_INFO_NULL,
                                 &r[3]));
  OK(MPI_Neighbor_alltoallw_init(out, ones, places, types, in, ones, places, types, c,
                                 MPI_INFO_NULL, &r[4]));
  for (int i = 0; i < 10; ++i) {
    OK(MPI_Start(&r[i % 5]));
    OK(MPI_Wait(&r[i % 5], MPI_STATUS_IGNORE));
    arrived();
  }
  for (int i = 0; i < 5; ++i) OK(MPI_Request_free(&r[i]));
  records("NON_BLOCKING_COLLECTIVE_REQUEST", 10);
  records("NON_BLOCKING_COLLECTIVE_COMPLETE", 10);
#endif
  OK(MPI_Comm_free(&c));
}

/* A row of processes; the two at the ends have MPI_PROC_NULL as a neighbor. */
static void row(void) {
  MPI_Comm c;
  int before = -2, behind = -2;
  OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (int[]){0}, 0, &c));
  OK(MPI_Cart_shift(c, 0, 1, &before, &behind));
  clear();
  OK(MPI_Neighbor_allgather(out, 1, kInt, in, 1, kInt, c));
  CHECK(in[0] == (before == MPI_PROC_NULL ? -1 : 10 * before));
  CHECK(in[1] == (behind == MPI_PROC_NULL ? -1 : 10 * behind));
  OK(MPI_Comm_free(&c));
}

void neighbors(void) {
  for (int i = 0; i < 4; ++i) {
    out[i] = 10 * rank + i;
    places[i] = (MPI_Aint)sizeof(int) * i;
    types[i] = MPI_INT;
  }
  ring();
  row();
  records("COMM_CREATE", 2);
  records("COMM_DESTROY", 2);
  records("MPI_COLLECTIVE_END", 4 + 7);
  records("NON_BLOCKING_COLLECTIVE_REQUEST", 5);
  records("NON_BLOCKING_COLLECTIVE_COMPLETE", 5);
}
