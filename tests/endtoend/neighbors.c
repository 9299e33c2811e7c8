/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighborhood operations on topologies of all kinds, with 4 ranks. Rank 3 comes 300 ms late to
   each: only its neighbors have to wait for it. */
#include <mpi.h>

static int rank, out[8], in[8], ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}, places[8];

static void be_late(MPI_Comm comm) {
  MPI_Barrier(comm);
  const double end = MPI_Wtime() + (rank == 3 ? 0.3 : 0);
  while (MPI_Wtime() < end) {
  }
}

int main(int argc, char** argv) {
  MPI_Comm row, ring, star;
  const int zero = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  /* Row 0 - 1 - 2 - 3: rank 2 waits. */
  MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){4}, (int[]){0}, 0, &row);
  be_late(row);
  MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, row);

  /* Ring 0 -> 1 -> 2 -> 3 -> 0: rank 0 waits. */
  const int before = (rank + 3) % 4, behind = (rank + 1) % 4;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &behind,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
  be_late(ring);
  MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, ring);

  /* Star 1 - 0, 2 - 0, 3 - 0: rank 0 waits. Then it gets nothing from rank 3, and its counts say
     so. */
  MPI_Graph_create(MPI_COMM_WORLD, 4, (int[]){3, 4, 5, 6}, (int[]){1, 2, 3, 0, 0, 0}, 0, &star);
  for (int i = 0; i < 8; ++i) places[i] = i;
  be_late(star);
  MPI_Neighbor_alltoallv(out, ones, places, MPI_INT, in, ones, places, MPI_INT, star);
  be_late(star);
  MPI_Neighbor_alltoallv(out, rank == 3 ? &zero : ones, places, MPI_INT, in,
                         rank == 0 ? (int[]){1, 1, 0} : ones, places, MPI_INT, star);

  /* The row again, nonblocking and persistent: rank 2 waits in MPI_Wait. */
  MPI_Request request;
  be_late(row);
  MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, row, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#if MPI_VERSION >= 4
  MPI_Neighbor_alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, row, MPI_INFO_NULL, &request);
  be_late(row);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
#else
  be_late(row);
  MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, row, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
  MPI_Comm_free(&row);
  MPI_Comm_free(&ring);
  MPI_Comm_free(&star);
  MPI_Finalize();
  return 0;
}
