/* SPDX-License-Identifier: BSD-3-Clause */
/* Conjugate gradient for the 1-D Laplace matrix, with rows distributed over the ranks: Sendrecv of
   borders, Allreduce of dot products. --size N --steps S: the right-hand side has a known
   solution. */
#include <math.h>

#include "app.h"

static int rank, size, rows;

static double dot(const double* a, const double* b) {
  double mine = 0, all = 0;
  for (int i = 1; i <= rows; ++i) mine += a[i] * b[i];
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static void multiply(double* x, double* y) {
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  x[0] = x[rows + 1] = 0;
  MPI_Sendrecv(&x[rows], 1, MPI_DOUBLE, right, 1, &x[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(&x[1], 1, MPI_DOUBLE, left, 2, &x[rows + 1], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 1; i <= rows; ++i) y[i] = 2 * x[i] - x[i - 1] - x[i + 1];
}

static double* vector(void) { return calloc((size_t)rows + 2, sizeof(double)); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int n = (int)option(argc, argv, "--size", 200);
  const int steps = (int)option(argc, argv, "--steps", 1000);
  rows = n / size + (rank < n % size ? 1 : 0);
  double *x = vector(), *r = vector(), *p = vector(), *q = vector(), *one = vector();
  for (int i = 1; i <= rows; ++i) one[i] = 1;
  multiply(one, r); /* b = A * 1, so the solution is 1 everywhere */
  memcpy(p, r, sizeof(double) * ((size_t)rows + 2));
  double rho = dot(r, r);
  for (int step = 0; step < steps && rho > 1e-20; ++step) {
    multiply(p, q);
    const double alpha = rho / dot(p, q);
    for (int i = 1; i <= rows; ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    const double next = dot(r, r), beta = next / rho;
    rho = next;
    for (int i = 1; i <= rows; ++i) p[i] = r[i] + beta * p[i];
  }
  int ok = 1;
  for (int i = 1; i <= rows; ++i) ok = ok && fabs(x[i] - 1) < 1e-6;
  const int status = verdict("cg", ok);
  MPI_Finalize();
  return status;
}
