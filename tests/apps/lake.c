/* SPDX-License-Identifier: BSD-3-Clause */
/* Waves on a lake: a stencil on rows, with a loop of OpenMP over them, halo rows by MPI_Sendrecv
 * and the energy by MPI_Allreduce. Only cells with water cost time, and the lake is a triangle: its
 * rows get wider. --size N --steps S --depth D: sweeps of a cell with water; --chunk C: rows that a
 * thread takes at a time (0: all rows are divided beforehand). */
#include <omp.h>

#include "app.h"

static int n, rows, rank, size, depth;

static void exchange(double* u) {
  const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  MPI_Sendrecv(u + n, n, MPI_DOUBLE, up, 1, u + (rows + 1) * n, n, MPI_DOUBLE, down, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(u + rows * n, n, MPI_DOUBLE, down, 2, u, n, MPI_DOUBLE, up, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

/* Rows alternate between the ranks, so that these have the same water: row i of a rank is row
 * `size * i + rank` of the lake. */
static int water_in(int row) { return (size * (row - 1) + rank) * n / (size * rows); }

static void wave_row(const double* u, double* v, int row) {
  const int width = water_in(row);
  for (int j = 0; j < width; ++j) {
    double height = u[row * n + j];
    for (int k = 0; k < depth; ++k) {
      const double side = (j > 0 ? u[row * n + j - 1] : 0) + (j + 1 < n ? u[row * n + j + 1] : 0);
      height += 0.1 * (u[(row - 1) * n + j] + u[(row + 1) * n + j] + side - 4 * height);
    }
    v[row * n + j] = height;
  }
}

static void step(const double* u, double* v) {
#pragma omp parallel for schedule(runtime)
  for (int row = 1; row <= rows; ++row) wave_row(u, v, row);
}

static double energy_of(const double* u) {
  double mine = 0, all = 0;
#pragma omp parallel for reduction(+ : mine)
  for (int i = n; i < (rows + 1) * n; ++i) mine += u[i] * u[i];
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  n = (int)option(argc, argv, "--size", 400);
  depth = (int)option(argc, argv, "--depth", 40);
  const int steps = (int)option(argc, argv, "--steps", 100);
  const int chunk = (int)option(argc, argv, "--chunk", 0);
  omp_set_schedule(chunk == 0 ? omp_sched_static : omp_sched_dynamic, chunk);
  rows = n / size;
  double* u = calloc((size_t)(rows + 2) * (size_t)n, sizeof *u);
  double* v = calloc((size_t)(rows + 2) * (size_t)n, sizeof *v);
  for (int i = n; i < (rows + 1) * n; ++i) u[i] = v[i] = i % 7 == 0;
  const double before = energy_of(u);
  double energy = before;
  int ok = 1;
  for (int i = 0; i < steps; ++i) {
    exchange(u);
    step(u, v);
    energy = energy_of(v);
    double* swap = u;
    u = v;
    v = swap;
  }
  ok = energy >= 0 && (energy <= before || steps == 0);
  const int status = verdict("lake", ok);
  free(u);
  free(v);
  MPI_Finalize();
  return status;
}
