/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes of known sizes, of every kind. */
#include <mpi.h>
#include <stdlib.h>

static int rank = 0, size = 0;
static char buffer[1 << 16];

static void transfer(MPI_File file) {
  MPI_Request request;
  MPI_Status status;
  const MPI_Offset own = (MPI_Offset)rank * 20000;
  MPI_File_write_at(file, own, buffer, 1000, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_write_at_all(file, own + 1000, buffer, 500, MPI_INT, &status);
  MPI_File_iwrite_at(file, own + 3000, buffer, 1, MPI_DOUBLE, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_write_at_all_begin(file, own + 3008, buffer, 92, MPI_CHAR);
  MPI_File_write_at_all_end(file, buffer, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek(file, own, MPI_SEEK_SET);
  MPI_File_read(file, buffer, 3000, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_seek(file, -3000, MPI_SEEK_CUR);
  MPI_File_iread(file, buffer, 200, MPI_CHAR, &request);
  for (int flag = 0; !flag;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  MPI_File_read_all(file, buffer, 30, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_read_ordered(file, buffer, 7, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_write_shared(file, buffer, 11, MPI_CHAR, MPI_STATUS_IGNORE);
  /* The read begins after the end of the file: it asks for 100 bytes and gets none. */
  MPI_File_read_at(file, 1 << 24, buffer, 100, MPI_CHAR, MPI_STATUS_IGNORE);
}

/* The view is every second double after a header of 16 bytes: element 5 is at byte 16 + 5 * 16. */
static void seek_in_view(MPI_File file) {
  MPI_Datatype twice;
  MPI_Type_create_resized(MPI_DOUBLE, 0, 16, &twice);
  MPI_Type_commit(&twice);
  MPI_File_set_view(file, 16, MPI_DOUBLE, twice, "native", MPI_INFO_NULL);
  MPI_File_seek(file, 5, MPI_SEEK_SET);
  MPI_File_seek(file, -2, MPI_SEEK_CUR);
  MPI_File_seek_shared(file, 4, MPI_SEEK_SET);
  MPI_File_seek_shared(file, 1, MPI_SEEK_CUR);
  MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
  MPI_File_seek(file, -10, MPI_SEEK_END);
  MPI_Type_free(&twice);
}

int main(int argc, char** argv) {
  MPI_File file;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_File_open(MPI_COMM_WORLD, "together.data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                &file);
  transfer(file);
  seek_in_view(file);
  MPI_File_close(&file);
  MPI_File_open(MPI_COMM_SELF, rank == 0 ? "zero.data" : "other.data",
                MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_File_write(file, buffer, 10 + rank, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) MPI_File_delete("together.data", MPI_INFO_NULL);
  MPI_Finalize();
  return 0;
}
