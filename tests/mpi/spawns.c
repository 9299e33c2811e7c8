/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts two processes of itself with MPI_Comm_spawn and communicates with them. If MPI cannot do
   that, the program prints so and stops. */
#include "conform.h"

static void exchange(MPI_Comm other, int sending) {
  int value = sending ? 11 : -1, remote = -1;
  MPI_Comm together;
  OK(MPI_Comm_remote_size(other, &remote));
  OK(MPI_Bcast(&value, 1, MPI_INT, !sending ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, other));
  CHECK(value == 11);
  OK(MPI_Intercomm_merge(other, !sending, &together));
  int n = -1, sum = 0;
  OK(MPI_Comm_size(together, &n));
  CHECK(n == remote + size);
  OK(MPI_Allreduce(&size, &sum, 1, MPI_INT, MPI_MAX, together));
  OK(MPI_Barrier(together));
  OK(MPI_Comm_free(&together));
  OK(MPI_Comm_disconnect(&other));
}

int main(int argc, char** argv) {
  MPI_Comm parent, children;
  OK(MPI_Init(&argc, &argv));
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
  OK(MPI_Comm_get_parent(&parent));
  if (parent == MPI_COMM_NULL) {
    int codes[2] = {-1, -1};
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    if (MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                       codes) != MPI_SUCCESS) {
      if (rank == 0) puts("skipped: MPI_Comm_spawn fails without the tracer");
      OK(MPI_Finalize());
      return 0;
    }
    CHECK(codes[0] == MPI_SUCCESS && codes[1] == MPI_SUCCESS);
    exchange(children, 1);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    records("MPI_COLLECTIVE_END", 4); /* the barrier and those of MPI_Intercomm_merge */
    write_expected();
  } else {
    exchange(parent, 0);
  }
  OK(MPI_Finalize());
  if (parent == MPI_COMM_NULL && rank == 0) puts("ok");
  return 0;
}
