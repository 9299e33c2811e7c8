/* SPDX-License-Identifier: BSD-3-Clause */
/* Two coupled models: the lower half of the ranks computes a flow field (nearest-neighbour
   exchange), the upper half moves particles in it. In every cycle both meet in a barrier, the
   field is sent in bulk, and steering data comes back. --cycles C --inner I --field DOUBLES
   --flow-ms MS --particle-ms MS: work per inner step of each model. */
#include "app.h"

static int world_rank, world_size;

static void flow_iteration(MPI_Comm model, double* cells, double ms) {
  int rank, size;
  MPI_Comm_rank(model, &rank);
  MPI_Comm_size(model, &size);
  work(ms);
  cells[1] = cells[1] * 0.5 + 1;
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  MPI_Request requests[4];
  MPI_Irecv(&cells[0], 1, MPI_DOUBLE, left, 1, model, &requests[0]);
  MPI_Irecv(&cells[2], 1, MPI_DOUBLE, right, 2, model, &requests[1]);
  MPI_Isend(&cells[1], 1, MPI_DOUBLE, right, 1, model, &requests[2]);
  MPI_Isend(&cells[1], 1, MPI_DOUBLE, left, 2, model, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void couple_flow(double* field, int doubles, const double* steering) {
  MPI_Barrier(MPI_COMM_WORLD);
  const int partner = world_rank + world_size / 2;
  for (int i = 0; i < doubles; ++i) field[i] = *steering + world_rank + i;
  MPI_Send(field, doubles, MPI_DOUBLE, partner, 10, MPI_COMM_WORLD);
}

static int couple_particles(double* field, int doubles, double steering) {
  MPI_Barrier(MPI_COMM_WORLD);
  const int partner = world_rank - world_size / 2;
  MPI_Recv(field, doubles, MPI_DOUBLE, partner, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int ok = 1;
  for (int i = 0; i < doubles; ++i) ok = ok && field[i] == steering + partner + i;
  return ok;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  if (world_size % 2 != 0) {
    if (world_rank == 0) fprintf(stderr, "coupled: needs an even number of ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int cycles = (int)option(argc, argv, "--cycles", 3);
  const int inner = (int)option(argc, argv, "--inner", 4);
  const int doubles = (int)option(argc, argv, "--field", 100000);
  const double flow_ms = option(argc, argv, "--flow-ms", 2);
  const double particle_ms = option(argc, argv, "--particle-ms", 1);
  const int is_flow = world_rank < world_size / 2;
  MPI_Comm model;
  MPI_Comm_split(MPI_COMM_WORLD, is_flow, world_rank, &model);
  MPI_Comm_set_name(model, is_flow ? "flow" : "particles");
  double* field = malloc(sizeof(double) * (size_t)doubles);
  double cells[3] = {0, 1, 0}, steering = 0, moved, all_moved;
  int ok = 1;
  for (int cycle = 0; cycle < cycles; ++cycle) {
    if (is_flow) {
      for (int i = 0; i < inner; ++i) flow_iteration(model, cells, flow_ms);
      couple_flow(field, doubles, &steering);
      MPI_Recv(&steering, 1, MPI_DOUBLE, world_rank + world_size / 2, 11, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
    } else {
      ok = couple_particles(field, doubles, steering) && ok;
      for (int i = 0; i < inner; ++i) work(particle_ms);
      moved = 1;
      MPI_Allreduce(&moved, &all_moved, 1, MPI_DOUBLE, MPI_SUM, model);
      steering += all_moved;
      MPI_Send(&steering, 1, MPI_DOUBLE, world_rank - world_size / 2, 11, MPI_COMM_WORLD);
    }
  }
  MPI_Comm_free(&model);
  const int status = verdict("coupled", ok);
  free(field);
  MPI_Finalize();
  return status;
}
