// SPDX-License-Identifier: BSD-3-Clause
// clock_probe SECONDS [MODE]: all processes repeatedly call collective operations, for SECONDS and
// at least 1,000 times per second of them. A busy machine makes that longer, not less. Prints how
// long it took.
//   world    on MPI_COMM_WORLD          dup      on a duplicate of it
//   off      like world, but recording is off on odd ranks (MPI_Pcontrol)
//   rooted   MPI_Bcast, MPI_Reduce      part     on some of the processes: these do not count
//   threads  like dup, and threads may call MPI at the same time: only world counts
//   kill     like world; the last rank kills itself at the end
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(int argc, char** argv) {
  const char* mode = argc > 2 ? argv[2] : "world";
  int provided;
  const int wanted = strcmp(mode, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, wanted, &provided);
  const double length = argc > 1 ? atof(argv[1]) : 1;
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm comm = MPI_COMM_WORLD;
  if (strcmp(mode, "dup") == 0 || strcmp(mode, "threads") == 0) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (strcmp(mode, "part") == 0) MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &comm);
  if (strcmp(mode, "off") == 0 && rank % 2 == 1) MPI_Pcontrol(0);
  int root;
  MPI_Comm_rank(comm, &root);
  root = root == 0;
  const struct timespec pause = {0, 500000};
  const double begin = MPI_Wtime();
  for (int go_on = 1, rounds = 0; go_on; ++rounds) {
    nanosleep(&pause, NULL);  // about equal numbers of operations per second on every machine
    if (root) go_on = MPI_Wtime() - begin < length || rounds < 1000 * length;
    if (strcmp(mode, "rooted") == 0) {
      int sum;
      MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, size - 1, comm);
    }
    MPI_Bcast(&go_on, 1, MPI_INT, 0, comm);
    if (strcmp(mode, "rooted") != 0) MPI_Barrier(comm);
  }
  if (rank == 0) printf("%.3f\n", MPI_Wtime() - begin);
  if (strcmp(mode, "off") == 0 && rank % 2 == 1) MPI_Pcontrol(1);
  if (strcmp(mode, "kill") == 0 && rank == size - 1) raise(SIGKILL);
  MPI_Finalize();
  return 0;
}
