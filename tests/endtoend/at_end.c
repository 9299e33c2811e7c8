/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes of MPI_COMM_SELF. MPI_Finalize calls their delete functions before anything else, the
   last one first. at_end FILE [open]: one function writes 1000 bytes and closes the file, as
   libraries for files do, one sums up ranks. With "open" a session of the program stays open. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static MPI_File file;
static char order[8];

static int is_usable(void) {
  int initialized = 0, finalized = 1;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized && !finalized;
}

static int close_file(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  int rank;
  char bytes[1000];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  memset(bytes, 'x', sizeof bytes);
  MPI_File_write_at_all(file, 1000 * rank, bytes, 1000, MPI_CHAR, MPI_STATUS_IGNORE);
  strcat(order, is_usable() ? "1" : "?");
  return MPI_File_close(&file);
}

static int add_up(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  int rank, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  strcat(order, is_usable() && sum == 1 ? "2" : "?");
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  int rank, first, second;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#if MPI_VERSION >= 4
  MPI_Session session;
  if (argc > 2) MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
#endif
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, close_file, &first, NULL);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, add_up, &second, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, first, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, second, NULL);
  MPI_Finalize();
#if MPI_VERSION >= 4
  if (argc > 2) MPI_Session_finalize(&session);
#endif
  if (rank == 0) printf("%s\n", order);
  return 0;
}
