/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided communication of 3 ranks in which rank 2 comes late, or holds a lock for a long
   time. */
#include <mpi.h>

static int rank;

static void work(int who, double seconds) {
  const double end = MPI_Wtime() + (rank == who ? seconds : 0);
  while (MPI_Wtime() < end) {
  }
}

static MPI_Group of(int first, int count) {
  const int ranks[2] = {first, first + 1};
  MPI_Group world, group;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, count, ranks, &group);
  MPI_Group_free(&world);
  return group;
}

int main(int argc, char** argv) {
  int memory[4] = {0, 0, 0, 0}, one = 1;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_create(memory, sizeof memory, sizeof one, MPI_INFO_NULL, MPI_COMM_WORLD, &win);

  /* A fence after another one: ranks 0 and 1 wait 300 ms each. */
  MPI_Win_fence(0, win);
  MPI_Put(&one, 1, MPI_INT, (rank + 1) % 3, 0, 1, MPI_INT, win);
  work(2, 0.3);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);

  /* Rank 2 completes 300 ms late: rank 0, the target, waits; rank 1 does not. */
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Group target = of(0, 1), origins = of(1, 2);
  if (rank == 0) {
    MPI_Win_post(origins, 0, win);
    MPI_Win_wait(win);
  } else {
    MPI_Win_start(target, 0, win);
    MPI_Get(&one, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
    work(2, 0.3);
    MPI_Win_complete(win);
  }

  /* Rank 2 posts 300 ms late: ranks 0 and 1 need its data. */
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Group last = of(2, 1), others = of(0, 2);
  work(2, 0.3);
  if (rank == 2) {
    MPI_Win_post(others, 0, win);
    MPI_Win_wait(win);
  } else {
    MPI_Win_start(last, 0, win);
    MPI_Get(&one, 1, MPI_INT, 2, 1, 1, MPI_INT, win);
    MPI_Win_complete(win);
  }

  /* Rank 2 has the lock of rank 0 for 300 ms; rank 1 requests it as soon as a
     message says that. */
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 2) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Get(&one, 1, MPI_INT, 0, 2, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
    MPI_Send(&one, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    work(2, 0.3);
    MPI_Win_unlock(0, win);
  } else if (rank == 1) {
    MPI_Recv(&one, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Accumulate(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_unlock(0, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  work(2, 0.3);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
