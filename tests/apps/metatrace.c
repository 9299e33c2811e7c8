/* SPDX-License-Identifier: BSD-3-Clause */
/* Two coupled models on three metahosts, with the communication that was published of MetaTrace.
 *
 *   ranks      model      what it does                                        published on
 *   0 ..       trace      conjugate gradients, computes twice as fast         FH-BRS
 *   n/4 ..     trace      conjugate gradients                                 CAESAR
 *   n/2 ..     partrace   moves particles in the field that trace sends       FZJ
 *
 * Trace is a grid of two rows: every fast rank has a slow neighbor in the other row, so it waits in
 * each iteration. In every step both models meet in a barrier, and the field is sent in bulk. When
 * the particles have moved, partrace steers the next step of trace by a short message. Ranks sleep
 * instead of computing, so that 32 processes can share two cores.
 * --steps S --iterations I --iteration-ms MS (on a slow rank) --faster F (how many times the others
 * are) --particle-ms MS (per step)
 * --field-mb MB (all ranks together, per step) */
#include <time.h>

#include "app.h"

static int world_rank, world_size;
static double faster;
static MPI_Comm model;

static void compute(double milliseconds) {
  const struct timespec t = {(time_t)(milliseconds / 1e3),
                             (long)(milliseconds * 1e6) % 1000000000L};
  nanosleep(&t, NULL);
}

/* Halo exchange in the row and between the rows, then the sum of the residuals. */
static double cgiteration(double milliseconds, double* halo, double value) {
  const int columns = world_size / 4, row = world_rank / columns, column = world_rank % columns;
  const int neighbors[3] = {column > 0 ? world_rank - 1 : MPI_PROC_NULL,
                            column + 1 < columns ? world_rank + 1 : MPI_PROC_NULL,
                            (1 - row) * columns + column};
  compute(row == 0 ? milliseconds / faster : milliseconds);
  MPI_Request requests[6];
  for (int i = 0; i < 3; ++i) {
    MPI_Irecv(&halo[i], 1, MPI_DOUBLE, neighbors[i], 1, model, &requests[i]);
    MPI_Isend(&value, 1, MPI_DOUBLE, neighbors[i], 1, model, &requests[3 + i]);
  }
  MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
  double sum = 0;
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, model);
  return sum;
}

static int SolveFlow(int iterations, double milliseconds) {
  double halo[3] = {0, 0, 0};
  int ok = 1;
  for (int i = 0; i < iterations; ++i) {
    ok = cgiteration(milliseconds, halo, 1) == world_size / 2 && ok;
  }
  return ok;
}

static void WriteVelFieldToPartrace(char* field, int bytes, int step) {
  memset(field, 'a' + step % 26, (size_t)bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(field, bytes, MPI_CHAR, world_rank + world_size / 2, 2, MPI_COMM_WORLD);
}

static int ReadSteeringFromPartrace(int step) {
  int steering = -1;
  MPI_Recv(&steering, 1, MPI_INT, world_rank + world_size / 2, 3, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  return steering == step;
}

static void WriteSteeringToTrace(int step) {
  MPI_Send(&step, 1, MPI_INT, world_rank - world_size / 2, 3, MPI_COMM_WORLD);
}

static int ReadVelFieldFromTrace(char* field, int bytes, int step) {
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Recv(field, bytes, MPI_CHAR, world_rank - world_size / 2, 2, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  return field[0] == 'a' + step % 26 && field[bytes - 1] == field[0];
}

static void MoveParticles(double milliseconds) {
  long moved = 1000, all = 0;
  compute(milliseconds);
  MPI_Allreduce(&moved, &all, 1, MPI_LONG, MPI_SUM, model);
}

static int trace(int steps, int iterations, double milliseconds, char* field, int bytes) {
  int ok = 1;
  for (int step = 0; step < steps; ++step) {
    ok = SolveFlow(iterations, milliseconds) && ok;
    if (step > 0) ok = ReadSteeringFromPartrace(step) && ok;
    WriteVelFieldToPartrace(field, bytes, step);
  }
  return ok;
}

static int partrace(int steps, double milliseconds, char* field, int bytes) {
  int ok = 1;
  for (int step = 0; step < steps; ++step) {
    ok = ReadVelFieldFromTrace(field, bytes, step) && ok;
    MoveParticles(milliseconds);
    if (step + 1 < steps) WriteSteeringToTrace(step + 1);
  }
  return ok;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  if (world_size % 4 != 0) {
    if (world_rank == 0) fprintf(stderr, "metatrace: needs a multiple of four ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int steps = (int)option(argc, argv, "--steps", 3);
  const int iterations = (int)option(argc, argv, "--iterations", 10);
  const double iteration = option(argc, argv, "--iteration-ms", 10);
  faster = option(argc, argv, "--faster", 2);
  const double particles = option(argc, argv, "--particle-ms", 40);
  const int bytes = (int)(option(argc, argv, "--field-mb", 4) * 1e6 / (world_size / 2));
  const int is_trace = world_rank < world_size / 2;
  MPI_Comm_split(MPI_COMM_WORLD, is_trace, world_rank, &model);
  MPI_Comm_set_name(model, is_trace ? "trace" : "partrace");
  char* field = malloc((size_t)bytes);
  const int ok = is_trace ? trace(steps, iterations, iteration, field, bytes)
                          : partrace(steps, particles, field, bytes);
  MPI_Comm_free(&model);
  const int status = verdict("metatrace", ok);
  free(field);
  MPI_Finalize();
  return status;
}
