/* SPDX-License-Identifier: BSD-3-Clause */
/* Heat on a square plate as in tests/apps/heat2d.c, in small functions: each call computes a few
 * cells of a row. --size N --steps S, --cells C: cells in a call, --first R: rows of rank 0, so
 * that the ranks have different work. */
#include <math.h>

#include "seconds.h"
#include "tests/apps/app.h"

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

SMALL static double relax_cells(const double* u, double* v, int i, int from, int to) {
  double change = 0;
  for (int j = from; j < to; ++j) {
    const double left = j > 0 ? u[i * n + j - 1] : 0;
    const double right = j + 1 < n ? u[i * n + j + 1] : 0;
    v[i * n + j] = 0.25 * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + left + right);
    change += fabs(v[i * n + j] - u[i * n + j]);
  }
  return change;
}

static double relax(const double* u, double* v, int cells) {
  double change = 0;
  for (int i = 1; i <= rows; ++i) {
    for (int j = 0; j < n; j += cells)
      change += relax_cells(u, v, i, j, j + cells < n ? j + cells : n);
  }
  return change;
}

static double residual(double mine) {
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  n = (int)option(argc, argv, "--size", 256);
  const int steps = (int)option(argc, argv, "--steps", 100);
  const int cells = (int)option(argc, argv, "--cells", 16);
  const int first = size == 1 ? n : (int)option(argc, argv, "--first", n / size);
  rows = rank == 0 ? first : (n - first) / (size - 1) + (rank <= (n - first) % (size - 1) ? 1 : 0);
  double* u = calloc((size_t)(rows + 2) * (size_t)n, sizeof *u);
  double* v = calloc((size_t)(rows + 2) * (size_t)n, sizeof *v);
  if (rank == 0) { /* the edge above row 0 is hot */
    for (int j = 0; j < n; ++j) u[j] = v[j] = 1;
  }
  double begin_change = 0, change = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    exchange(u);
    change = residual(relax(u, v, cells));
    if (step == 0) begin_change = change;
    double* swap = u;
    u = v;
    v = swap;
  }
  const double seconds = MPI_Wtime() - begin;
  print_seconds(seconds);
  const int status = verdict("heat2d", change < begin_change || steps < 2);
  free(u);
  free(v);
  MPI_Finalize();
  return status;
}
