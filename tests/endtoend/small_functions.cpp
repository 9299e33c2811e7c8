// SPDX-License-Identifier: BSD-3-Clause
// A program that mostly calls small functions: one of C, a template, and one that is called rarely.
#include <mpi.h>

extern "C" [[gnu::noinline]] double leaf(double x) { return 0.5 * x + 1; }

namespace {

template <typename Number>
[[gnu::noinline]] Number twice(Number x) {
  return leaf(x) + leaf(x + 1);
}

[[gnu::noinline]] double seldom(double x) {
  for (int i = 0; i < 10'000; ++i) x = twice<double>(x);
  return x;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double x = 0, sum = 0;
  for (int i = 0; i < 100; ++i) x = seldom(x);
  MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return sum > 0 ? 0 : 1;
}
