/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts two processes of itself, which communicate with each other and with their parent. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, sum = 0, one = 1;
  MPI_Comm parent, children;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                   MPI_ERRCODES_IGNORE);
    MPI_Bcast(&one, 1, MPI_INT, MPI_ROOT, children);
    MPI_Comm_disconnect(&children);
    printf("done\n");
  } else {
    MPI_Bcast(&one, 1, MPI_INT, 0, parent);
    for (int i = 0; i < 10; ++i) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_disconnect(&parent);
  }
  MPI_Finalize();
  return 0;
}
