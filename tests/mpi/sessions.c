/* SPDX-License-Identifier: BSD-3-Clause */
/* sessions [world]: the sessions model alone, or together with MPI_Init. */
#include "conform.h"

#if MPI_VERSION < 4
int main(void) {
  skip_mpi_4();
  return 0;
}
#else
static void in_session(void) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm, copy;
  int sets = 0, sum = 0, me = -1, n = -1, length = MPI_MAX_PSET_NAME_LEN;
  char name[MPI_MAX_PSET_NAME_LEN];
  OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
  OK(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets));
  CHECK(sets >= 2);
  OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, name));
  OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
  OK(MPI_Comm_create_from_group(group, "latecomer", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
  OK(MPI_Group_free(&group));
  OK(MPI_Comm_rank(comm, &me));
  OK(MPI_Comm_size(comm, &n));
  OK(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm));
  CHECK(sum == n * (n - 1) / 2);
  OK(MPI_Comm_dup(comm, &copy));
  int in = -1;
  OK(MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % n, 0, &in, 1, MPI_INT, (me + n - 1) % n, 0, copy,
                  MPI_STATUS_IGNORE));
  CHECK(in == (me + n - 1) % n);
  OK(MPI_Comm_free(&copy));
  OK(MPI_Comm_free(&comm));
  OK(MPI_Session_finalize(&session));
  rank = me;
  size = n;
}

int main(int argc, char** argv) {
  const int with_world = argc > 1;
  if (with_world) {
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  }
  in_session();
  if (with_world) {
    records("MPI_SEND", 1);
    records("MPI_RECV", 1);
    write_expected();
    OK(MPI_Finalize());
  }
  /* Without a world no communicator can sum up the records of all processes. */
  const char* path = with_world ? NULL : getenv("CONFORM_RECORDS");
  if (path != NULL && rank == 0) {
    FILE* file = fopen(path, "w");
    fprintf(file, "MPI_SEND %d\nMPI_RECV %d\nPROGRAM_END %d\n", size, size, size);
    fclose(file);
  }
  if (rank == 0) puts("ok");
  return 0;
}
#endif
