/* SPDX-License-Identifier: BSD-3-Clause */
/* Conjugate gradient as in tests/apps/cg.c, in small functions: each call computes a few elements
 * of a vector. --size N --steps S, --elements E: elements in a call, --first R: rows of rank 0, so
 * that the ranks have different work. */
#include <math.h>

#include "seconds.h"
#include "tests/apps/app.h"

static int rank, size, rows, elements;

static int end_of(int i) { return i + elements <= rows ? i + elements : rows + 1; }

SMALL static double dot_part(const double* a, const double* b, int from, int to) {
  double sum = 0;
  for (int i = from; i < to; ++i) sum += a[i] * b[i];
  return sum;
}

static double dot(const double* a, const double* b) {
  double mine = 0, all = 0;
  for (int i = 1; i <= rows; i += elements) mine += dot_part(a, b, i, end_of(i));
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

SMALL static void multiply_part(const double* x, double* y, int from, int to) {
  for (int i = from; i < to; ++i) y[i] = 2 * x[i] - x[i - 1] - x[i + 1];
}

static void multiply(double* x, double* y) {
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  x[0] = x[rows + 1] = 0;
  MPI_Sendrecv(&x[rows], 1, MPI_DOUBLE, right, 1, &x[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(&x[1], 1, MPI_DOUBLE, left, 2, &x[rows + 1], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 1; i <= rows; i += elements) multiply_part(x, y, i, end_of(i));
}

SMALL static void add_part(double* y, double factor, const double* x, int from, int to) {
  for (int i = from; i < to; ++i) y[i] += factor * x[i];
}

static void add(double* y, double factor, const double* x) {
  for (int i = 1; i <= rows; i += elements) add_part(y, factor, x, i, end_of(i));
}

SMALL static void scale_part(double* y, double factor, const double* x, int from, int to) {
  for (int i = from; i < to; ++i) y[i] = x[i] + factor * y[i];
}

static void scale_and_add(double* y, double factor, const double* x) {
  for (int i = 1; i <= rows; i += elements) scale_part(y, factor, x, i, end_of(i));
}

static double* vector(void) { return calloc((size_t)rows + 2, sizeof(double)); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int n = (int)option(argc, argv, "--size", 200);
  const int steps = (int)option(argc, argv, "--steps", 1000);
  elements = (int)option(argc, argv, "--elements", 16);
  const int first = size == 1 ? n : (int)option(argc, argv, "--first", n / size);
  rows = rank == 0 ? first : (n - first) / (size - 1) + (rank <= (n - first) % (size - 1) ? 1 : 0);
  double *x = vector(), *r = vector(), *p = vector(), *q = vector(), *one = vector();
  for (int i = 1; i <= rows; ++i) one[i] = 1;
  multiply(one, r); /* b = A * 1, so the solution is 1 everywhere */
  memcpy(p, r, sizeof(double) * ((size_t)rows + 2));
  double rho = dot(r, r);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int step = 0; step < steps && rho > 1e-20; ++step) {
    multiply(p, q);
    const double alpha = rho / dot(p, q);
    add(x, alpha, p);
    add(r, -alpha, q);
    const double next = dot(r, r);
    scale_and_add(p, next / rho, r);
    rho = next;
  }
  const double seconds = MPI_Wtime() - begin;
  print_seconds(seconds);
  const int status = verdict("cg", isfinite(rho));
  MPI_Finalize();
  return status;
}
