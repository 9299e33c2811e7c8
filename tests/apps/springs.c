/* SPDX-License-Identifier: BSD-3-Clause */
/* A chain of masses between springs, pulled at by their weight: conjugate gradients with short
 * loops of OpenMP, halo values by MPI_Sendrecv and sums by MPI_Allreduce. --masses N: per rank;
 * --steps S: of conjugate gradients, which finds a solution in less than 400 and then begins anew.
 */
#include "app.h"

static int n, rank, size;

static double all_ranks(double mine) {
  double sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

static double product(const double* a, const double* b) {
  double mine = 0;
#pragma omp parallel for schedule(static) reduction(+ : mine)
  for (int i = 1; i <= n; ++i) mine += a[i] * b[i];
  return all_ranks(mine);
}

/* What the springs pull with, and the strength of the walls at the ends. */
static void pull(double* x, double* force) {
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  MPI_Sendrecv(x + 1, 1, MPI_DOUBLE, left, 1, x + n + 1, 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(x + n, 1, MPI_DOUBLE, right, 2, x, 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
#pragma omp parallel for schedule(static)
  for (int i = 1; i <= n; ++i) force[i] = 2.01 * x[i] - x[i - 1] - x[i + 1];
}

static void add(double* to, double factor, const double* what) {
#pragma omp parallel for schedule(static)
  for (int i = 1; i <= n; ++i) to[i] += factor * what[i];
}

static void turn(double* direction, double factor, const double* residual) {
#pragma omp parallel for schedule(static)
  for (int i = 1; i <= n; ++i) direction[i] = residual[i] + factor * direction[i];
}

/* The springs are at rest again. Returns the square of the weights. */
static double begin(double* x, double* residual, double* direction) {
#pragma omp parallel for schedule(static)
  for (int i = 1; i <= n; ++i) {
    x[i] = 0;
    residual[i] = direction[i] = 1 + (i + rank) % 3;
  }
  return product(residual, residual);
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  n = (int)option(argc, argv, "--masses", 100000);
  const int steps = (int)option(argc, argv, "--steps", 200);
  double* const all = calloc(4 * ((size_t)n + 2), sizeof *all);
  double *x = all, *residual = x + n + 2, *direction = residual + n + 2, *force = direction + n + 2;
  const double first = begin(x, residual, direction);
  double square = first;
  int found = 0;
  for (int i = 0; i < steps; ++i) {
    pull(direction, force);
    const double length = square / product(direction, force);
    add(x, length, direction);
    add(residual, -length, force);
    const double before = square;
    square = product(residual, residual);
    turn(direction, square / before, residual);
    if (square > 1e-20 * first) continue;
    ++found;
    square = begin(x, residual, direction);
  }
  const int status =
      verdict("springs", square >= 0 && square <= first && (found > 0 || steps < 400));
  free(all);
  MPI_Finalize();
  return status;
}
