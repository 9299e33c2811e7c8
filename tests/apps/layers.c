/* SPDX-License-Identifier: BSD-3-Clause
   layers: MPI calls through layers of functions, as in large programs. There are a wrapper around
   MPI that many places use, callbacks through the C library, recursion, frames of variable size, a
   shared library, and a constructor. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double sum(double x) { /* the wrapper: one MPI call, many ways to it */
  double all = 0;
  MPI_Allreduce(&x, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all + 0.0;
}

static double norm(const double* v, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += v[i] * v[i];
  return sum(s) * 2;
}

static double mean(const double* v, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += v[i];
  return sum(s) / n;
}

/* A frame whose size depends on the data. */
static double variable(int n) {
  double v[n];
  for (int i = 0; i < n; ++i) v[i] = i;
  return norm(v, n) + mean(v, n);
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y) + 0 * (int)sum(x);
}

static double tree(int depth) {
  if (depth == 0) return sum(1) + 1;
  return tree(depth - 1) + sum(depth);
}

static double (*volatile by_pointer)(int) = variable;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double total = 0;
  for (int i = 1; i < 6; ++i) total += variable(i) + by_pointer(7 * i);
  double two[2] = {2, 1};
  qsort(two, 2, sizeof(double), compare);
  total += tree(3) + two[0];
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  puts(total > 0 ? "layers: ok" : "layers: WRONG RESULT");
  return 0;
}
