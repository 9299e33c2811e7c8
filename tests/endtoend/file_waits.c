/* SPDX-License-Identifier: BSD-3-Clause */
/* A file of 3 ranks, one of which comes late: rank 1 opens it late, rank 2 sets the view late
   twice, and writes late once more. */
#include <mpi.h>

static int rank;
static double data[4096];

/* Works for 200 ms on one rank. */
static void work(int who) {
  const double end = MPI_Wtime() + (rank == who ? 0.2 : 0);
  while (MPI_Wtime() < end) {
  }
}

/* The parts of different ranks are interleaved, so the ranks must communicate before they write. */
static void write_together(MPI_File file) {
  const int doubles = sizeof data / sizeof data[0];
  MPI_Datatype part;
  MPI_Type_vector(doubles / 16, 16, 3 * 16, MPI_DOUBLE, &part);
  MPI_Type_commit(&part);
  MPI_File_set_view(file, (MPI_Offset)(rank * 16 * sizeof data[0]), MPI_DOUBLE, part, "native",
                    MPI_INFO_NULL);
  MPI_Type_free(&part);
  MPI_File_write_all(file, data, doubles, MPI_DOUBLE, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_File file;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  work(1);
  MPI_File_open(MPI_COMM_WORLD, "together.data",
                MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 2; ++i) {
    work(2);
    write_together(file);
  }
  work(2);
  MPI_File_write_all(file, data, sizeof data / sizeof data[0], MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}
