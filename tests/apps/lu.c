/* SPDX-License-Identifier: BSD-3-Clause */
/* Symmetric successive over-relaxation of a 3-D Poisson problem, as LU of the NAS benchmarks does
   it: a forward and a backward wavefront per step. The ranks share the rows of each plane as a grid
   of ranks. A rank gets the borders of a plane from two neighbors, works on it, and sends its own
   borders to the two others: many small messages.
   --size N (points in each direction) --steps S. */
#include <math.h>

#include "app.h"

static int rank, size, n;
static int px, py; /* ranks in each direction */
static int nx, ny; /* own points */
static int west, east, north, south;
static double *u, *f;  /* [n + 2][ny + 2][nx + 2] */
static double* column; /* a border of ny points */

static double* at(double* field, int k, int j, int i) {
  return &field[((size_t)k * (size_t)(ny + 2) + (size_t)j) * (size_t)(nx + 2) + (size_t)i];
}

enum { kFromWest = 1, kFromNorth, kFromEast, kFromSouth };

static void send_column(int k, int i, int to, int tag) {
  for (int j = 1; j <= ny; ++j) column[j - 1] = *at(u, k, j, i);
  MPI_Send(column, ny, MPI_DOUBLE, to, tag, MPI_COMM_WORLD);
}
static void receive_column(int k, int i, int from, int tag) {
  if (from == MPI_PROC_NULL) return;
  MPI_Recv(column, ny, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int j = 1; j <= ny; ++j) *at(u, k, j, i) = column[j - 1];
}
static void send_row(int k, int j, int to, int tag) {
  MPI_Send(at(u, k, j, 1), nx, MPI_DOUBLE, to, tag, MPI_COMM_WORLD);
}
static void receive_row(int k, int j, int from, int tag) {
  MPI_Recv(at(u, k, j, 1), nx, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void relax(int k, int j, int i) {
  const double omega = 1.2;
  const double sum = *at(u, k, j, i - 1) + *at(u, k, j, i + 1) + *at(u, k, j - 1, i) +
                     *at(u, k, j + 1, i) + *at(u, k - 1, j, i) + *at(u, k + 1, j, i);
  double* const x = at(u, k, j, i);
  *x += omega * ((sum + *at(f, k, j, i)) / 6 - *x);
}

static void lower(int k) {
  receive_column(k, 0, west, kFromWest);
  receive_row(k, 0, north, kFromNorth);
  for (int j = 1; j <= ny; ++j) {
    for (int i = 1; i <= nx; ++i) relax(k, j, i);
  }
  send_column(k, nx, east, kFromWest);
  send_row(k, ny, south, kFromNorth);
}

static void upper(int k) {
  receive_column(k, nx + 1, east, kFromEast);
  receive_row(k, ny + 1, south, kFromSouth);
  for (int j = ny; j >= 1; --j) {
    for (int i = nx; i >= 1; --i) relax(k, j, i);
  }
  send_column(k, 1, west, kFromEast);
  send_row(k, 1, north, kFromSouth);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  n = (int)option(argc, argv, "--size", 24);
  const int steps = (int)option(argc, argv, "--steps", 100);
  int dims[2] = {0, 0};
  MPI_Dims_create(size, 2, dims);
  py = dims[0];
  px = dims[1];
  const int x = rank % px, y = rank / px;
  west = x > 0 ? rank - 1 : MPI_PROC_NULL;
  east = x + 1 < px ? rank + 1 : MPI_PROC_NULL;
  north = y > 0 ? rank - px : MPI_PROC_NULL;
  south = y + 1 < py ? rank + px : MPI_PROC_NULL;
  nx = n / px + (x < n % px ? 1 : 0);
  ny = n / py + (y < n % py ? 1 : 0);
  u = calloc((size_t)(n + 2) * (size_t)(ny + 2) * (size_t)(nx + 2), sizeof *u);
  f = calloc((size_t)(n + 2) * (size_t)(ny + 2) * (size_t)(nx + 2), sizeof *f);
  column = malloc(sizeof *column * (size_t)(ny > 0 ? ny : 1));
  for (int k = 1; k <= n; ++k) {
    for (int j = 1; j <= ny; ++j) {
      for (int i = 1; i <= nx; ++i) *at(f, k, j, i) = 1;
    }
  }
  double norm = 0, before = 0;
  int ok = 1;
  for (int step = 0; step < steps; ++step) {
    for (int k = 1; k <= n; ++k) lower(k);
    for (int k = n; k >= 1; --k) upper(k);
    double mine = 0;
    for (int k = 1; k <= n; ++k) {
      for (int j = 1; j <= ny; ++j) {
        for (int i = 1; i <= nx; ++i) mine += *at(u, k, j, i);
      }
    }
    MPI_Allreduce(&mine, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    ok = ok && norm >= before * (1 - 1e-9); /* the solution grows from 0 up to its limit */
    before = norm;
  }
  ok = ok && isfinite(norm) && norm > 0;
  const int status = verdict("lu", ok);
  MPI_Finalize();
  return status;
}
