/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI-IO in the current directory. */
#include "conform.h"

static const char kName[] = "conform.data";

static void explicit_offsets(void) {
  MPI_File file;
  MPI_Status status;
  MPI_Request request;
  MPI_Offset bytes = -1;
  int out[2] = {rank, 10 * rank}, in[2] = {-1, -1}, count = -1;
  const MPI_Offset place = (MPI_Offset)(rank * sizeof out);
  OK(MPI_File_open(MPI_COMM_WORLD, kName, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  OK(MPI_File_write_at(file, place, out, 2, MPI_INT, &status));
  OK(MPI_Get_count(&status, MPI_INT, &count));
  CHECK(count == 2);
  OK(MPI_File_sync(file));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_File_get_size(file, &bytes));
  CHECK(bytes == (MPI_Offset)(size * (int)sizeof out));
  OK(MPI_File_read_at_all(file, place, in, 2, MPI_INT, MPI_STATUS_IGNORE));
  CHECK(in[1] == 10 * rank);
  out[1] = rank + 1;
  OK(MPI_File_iwrite_at(file, place, out, 2, MPI_INT, &request));
  OK(MPI_Wait(&request, &status));
  OK(MPI_Get_count(&status, MPI_INT, &count));
  CHECK(count == 2);
  OK(MPI_File_iread_at(file, place, in, 2, MPI_INT, &request));
  for (int flag = 0; !flag;) OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
  CHECK(in[1] == rank + 1);
  OK(MPI_File_close(&file));
  CHECK(file == MPI_FILE_NULL);
}

static void views(void) {
  MPI_File file;
  int out = 1000 + rank, in = -1;
  OK(MPI_File_open(MPI_COMM_WORLD, kName, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                   &file));
  OK(MPI_File_set_view(file, (MPI_Offset)(rank * sizeof out), MPI_INT, MPI_INT, "native",
                       MPI_INFO_NULL));
  OK(MPI_File_write_all(file, &out, 1, MPI_INT, MPI_STATUS_IGNORE));
  /* Another process may have written the data. */
  OK(MPI_File_sync(file));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_File_sync(file));
  OK(MPI_File_seek(file, 0, MPI_SEEK_SET));
  OK(MPI_File_read_all_begin(file, &in, 1, MPI_INT));
  OK(MPI_File_read_all_end(file, &in, MPI_STATUS_IGNORE));
  CHECK(in == 1000 + rank);
  OK(MPI_File_close(&file));
}

static void errors_return(void) {
  MPI_File file;
  FAILS(MPI_ERR_NO_SUCH_FILE,
        MPI_File_open(MPI_COMM_SELF, "conform.missing", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
  FAILS(MPI_ERR_NO_SUCH_FILE, MPI_File_delete("conform.missing", MPI_INFO_NULL));
}

void files(void) {
  explicit_offsets();
  views();
  errors_return();
  records("MPI_COLLECTIVE_END", 2);
  records("IO_CREATE_HANDLE", 2);
  records("IO_DESTROY_HANDLE", 2);
  records("IO_OPERATION_BEGIN", 9); /* three of them MPI_File_sync */
  records("IO_OPERATION_ISSUED", 3);
  records("IO_OPERATION_COMPLETE", 9);
  records("IO_SEEK", 1);
  records("IO_DELETE_FILE", rank == 0);
}
