/* SPDX-License-Identifier: BSD-3-Clause */
/* Heat on a square plate: Jacobi steps on rows, halo rows by nonblocking messages, residual by
 * Allreduce. --size N --steps S --uneven MS: rank 0 needs MS milliseconds more per step,
 * --even MS: every rank does. */
#include <math.h>

#include "app.h"

static int n, rows, rank, size;

static void exchange(double* u) {
  const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  MPI_Request requests[4];
  MPI_Irecv(u, n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(u + (rows + 1) * n, n, MPI_DOUBLE, down, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(u + n, n, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(u + rows * n, n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static double relax(const double* u, double* v) {
  double change = 0;
  for (int i = 1; i <= rows; ++i) {
    for (int j = 0; j < n; ++j) {
      const double left = j > 0 ? u[i * n + j - 1] : 0;
      const double right = j + 1 < n ? u[i * n + j + 1] : 0;
      v[i * n + j] = 0.25 * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + left + right);
      change += fabs(v[i * n + j] - u[i * n + j]);
    }
  }
  return change;
}

static double residual(double mine) {
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/* More work for some milliseconds: heat in the cells of a finer grid. */
static double refine(const double* u, double milliseconds) {
  const double end = MPI_Wtime() + milliseconds * 1e-3;
  double heat = 0;
  for (int sweep = 1; MPI_Wtime() < end; ++sweep) {
    for (int i = n; i < (rows + 1) * n; ++i) heat += sqrt(u[i]);
    if (sweep % 8 == 0) sched_yield(); /* so ranks that share the core go on */
  }
  return heat;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  n = (int)option(argc, argv, "--size", 256);
  const int steps = (int)option(argc, argv, "--steps", 100);
  const double more =
      option(argc, argv, "--even", 0) + (rank == 0 ? option(argc, argv, "--uneven", 0) : 0);
  rows = n / size + (rank < n % size ? 1 : 0);
  double* u = calloc((size_t)(rows + 2) * (size_t)n, sizeof *u);
  double* v = calloc((size_t)(rows + 2) * (size_t)n, sizeof *v);
  /* The edge above row 0 is hot, all other edges are cold. */
  if (rank == 0) {
    for (int j = 0; j < n; ++j) u[j] = v[j] = 1;
  }
  double first = 0, last = 0, heat = 0;
  for (int step = 0; step < steps; ++step) {
    exchange(u);
    last = residual(relax(u, v));
    if (step == 0) first = last;
    if (more > 0) heat += refine(u, more);
    double* swap = u;
    u = v;
    v = swap;
  }
  /* The plate only gets warmer, stays below the hot edge, and settles. */
  int ok = (last < first || steps < 2) && heat >= 0;
  for (int i = n; i < (rows + 1) * n; ++i) ok = ok && u[i] >= 0 && u[i] <= 1;
  const int status = verdict("heat2d", ok);
  free(u);
  free(v);
  MPI_Finalize();
  return status;
}
