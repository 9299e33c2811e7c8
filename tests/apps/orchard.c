/* SPDX-License-Identifier: BSD-3-Clause */
/* The potential of fruit in an orchard: a quadtree, one task of OpenMP per quadrant, and
 * MPI_Allreduce of the sum. On rank 0 most of the fruit hangs on few trees in one corner, on the
 * other ranks it is spread evenly. --fruit N: per rank; --more F: times as much on rank 0;
 * --steps S; --levels L: quadrants of so many levels are tasks of their own. */
#include <math.h>

#include "app.h"

enum { kLeaf = 48 }; /* a square with so much fruit is not divided */

struct fruit {
  double x, y, mass;
};
struct part {
  double potential, mass, x, y; /* x and y: moments */
};

static int levels;

/* The same numbers with any C library, from 0 to 1. */
static double chance(unsigned long* state) {
  *state = *state * 6364136223846793005ul + 1442695040888963407ul;
  return (double)(*state >> 33) / (double)(1ul << 31);
}

static double between(struct part a, struct part b) {
  if (a.mass == 0 || b.mass == 0) return 0;
  return a.mass * b.mass / (1e-3 + hypot(a.x / a.mass - b.x / b.mass, a.y / a.mass - b.y / b.mass));
}

static struct part leaf(const struct fruit* f, int n) {
  struct part sum = {0, 0, 0, 0};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j)
      sum.potential += f[i].mass * f[j].mass / (1e-3 + hypot(f[i].x - f[j].x, f[i].y - f[j].y));
    sum.mass += f[i].mass;
    sum.x += f[i].mass * f[i].x;
    sum.y += f[i].mass * f[i].y;
  }
  return sum;
}

/* Moves fruit below the line to the front, and returns how much there is. */
static int divide(struct fruit* f, int n, double line, int by_x) {
  int below = 0;
  for (int i = 0; i < n; ++i) {
    const struct fruit it = f[i];
    if ((by_x ? it.x : it.y) >= line) continue;
    f[i] = f[below];
    f[below++] = it;
  }
  return below;
}

/* A square from (x, y) on; quadrants that are far from each other count as points. */
static struct part square(struct fruit* f, int n, double x, double y, double side, int level) {
  if (n <= kLeaf || level > 40) return leaf(f, n);
  const double half = side / 2;
  int from[5] = {0, 0, 0, 0, n};
  from[2] = divide(f, n, y + half, 0);
  from[1] = divide(f, from[2], x + half, 1);
  from[3] = from[2] + divide(f + from[2], n - from[2], x + half, 1);
  struct part quadrant[4];
  for (int q = 0; q < 4; ++q) {
#pragma omp task shared(quadrant, from) firstprivate(q) if (level < levels)
    quadrant[q] = square(f + from[q], from[q + 1] - from[q], x + q % 2 * half, y + q / 2 * half,
                         half, level + 1);
  }
#pragma omp taskwait
  struct part sum = {0, 0, 0, 0};
  for (int q = 0; q < 4; ++q) {
    for (int other = 0; other < q; ++other) sum.potential += between(quadrant[q], quadrant[other]);
    sum.potential += quadrant[q].potential;
    sum.mass += quadrant[q].mass;
    sum.x += quadrant[q].x;
    sum.y += quadrant[q].y;
  }
  return sum;
}

static double potential(struct fruit* f, int n) {
  struct part all;
#pragma omp parallel
#pragma omp single
  all = square(f, n, 0, 0, 1, 0);
  return all.potential;
}

static double all_ranks(double mine) {
  double sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

int main(int argc, char** argv) {
  int provided, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int steps = (int)option(argc, argv, "--steps", 20);
  int n = (int)option(argc, argv, "--fruit", 20000);
  if (rank == 0) n = (int)(n * option(argc, argv, "--more", 1));
  struct fruit* const f = calloc((size_t)n + 1, sizeof *f);
  unsigned long state = 42ul + (unsigned long)rank;
  for (int i = 0; i < n; ++i) {
    const double side = rank == 0 && i % 16 != 0 ? 1.0 / 8 : 1;
    f[i] = (struct fruit){side * chance(&state), side * chance(&state), 1};
  }
  levels = 0;
  const double before = all_ranks(potential(f, n));
  levels = (int)option(argc, argv, "--levels", 1);
  int ok = 1;
  /* The fruit grows: twice the mass has four times the potential. */
  double mass = 1;
  for (int i = 0; i < steps; ++i) {
    mass *= 1.01;
    for (int k = 0; k < n; ++k) f[k].mass = mass;
    const double now = all_ranks(potential(f, n));
    ok = ok && fabs(now - mass * mass * before) <= 1e-9 * now;
  }
  const int status = verdict("orchard", ok);
  free(f);
  MPI_Finalize();
  return status;
}
