/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 works before each message. Rank 1 probes for it in four ways before it receives it, and
   then lets rank 2 continue. */
#include <mpi.h>
#include <unistd.h>

static void work(void) { usleep(300000); }

int main(int argc, char** argv) {
  int rank = 0, flag = 0, value = 7;
  MPI_Message message;
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int tag = 1; tag <= 4; ++tag) {
    if (rank == 0) {
      work();
      MPI_Send(&value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
    } else if (rank == 1) {
      if (tag == 1) MPI_Probe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
      if (tag == 2) {
        for (flag = 0; !flag;) MPI_Iprobe(0, tag, MPI_COMM_WORLD, &flag, &status);
      }
      if (tag == 3) MPI_Mprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
      if (tag == 4) {
        for (flag = 0; !flag;) MPI_Improbe(0, tag, MPI_COMM_WORLD, &flag, &message, &status);
      }
      if (tag < 3) {
        MPI_Recv(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else {
        MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
      }
      MPI_Send(&value, 1, MPI_INT, 2, tag, MPI_COMM_WORLD);
    } else if (rank == 2) {
      MPI_Recv(&value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  MPI_Finalize();
  return 0;
}
