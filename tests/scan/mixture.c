/* SPDX-License-Identifier: BSD-3-Clause */
/* mixture [looked_up]: sums by collective operations of all and of parts, and of messages from any
   source. A message of the measurement would be mistaken for one of the program. With looked_up,
   the program uses the MPI functions that dlsym() finds in its library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

#define ALL_FUNCTIONS(f)                                                                         \
  f(MPI_Init) f(MPI_Finalize) f(MPI_Comm_rank) f(MPI_Comm_size) f(MPI_Allreduce) f(MPI_Comm_dup) \
      f(MPI_Comm_split) f(MPI_Comm_free) f(MPI_Send) f(MPI_Recv)
#define DECLARE(name) static __typeof__(name)* call_##name = name;
ALL_FUNCTIONS(DECLARE)

static void look_up(void) {
  Dl_info place;
  if (dladdr(dlsym(RTLD_DEFAULT, "PMPI_Comm_split"), &place) == 0) return;
  void* library = dlopen(place.dli_fname, RTLD_NOW);
#define LOOK_UP(name) *(void**)&call_##name = dlsym(library, #name);
  ALL_FUNCTIONS(LOOK_UP)
}

int main(int argc, char** argv) {
  int rank, size, sum = 0, part = 0, got = 0;
  MPI_Comm copy, half;
  if (argc > 1) look_up();
  call_MPI_Init(&argc, &argv);
  call_MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  call_MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int mine = rank + 1;
  call_MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  call_MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  call_MPI_Comm_split(copy, rank % 2, rank, &half);
  call_MPI_Allreduce(&mine, &part, 1, MPI_INT, MPI_SUM, half);
  for (int i = 1; i < size && rank == 0; ++i) {
    int value = 0;
    call_MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                  MPI_STATUS_IGNORE);
    got += value;
  }
  if (rank != 0) call_MPI_Send(&mine, 1, MPI_INT, 0, rank, MPI_COMM_WORLD);
  printf("rank %d: %d %d %d\n", rank, sum, part, got);
  call_MPI_Comm_free(&half);
  call_MPI_Comm_free(&copy);
  call_MPI_Finalize();
  return rank == 2 ? 5 : 0;
}
