// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 has more work in one of three methods:
//
//   three_functions STEPS MILLISECONDS
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace {

double processor_time() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

class Grid {
 public:
  void restrict_to_coarse(double time) { work(time, 0.5); }
  void smooth(double time) { work(time, 0.25); }
  void prolong(double time) { work(time, 2); }

 private:
  [[gnu::always_inline]] void work(double time, double factor) {
    for (const double end = processor_time() + time; processor_time() < end;) {
      for (std::size_t i = 1; i < cells_.size(); ++i) cells_[i] = factor * (cells_[i - 1] + 1);
    }
  }
  std::vector<double> cells_ = std::vector<double>(20'000);
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 2);
  const double more = rank == 0 ? 1e-3 * std::atof(argv[2]) : 0;
  Grid grid;
  for (int step = 0; step < std::atoi(argv[1]); ++step) {
    grid.restrict_to_coarse(0.002);
    grid.smooth(0.002 + more);
    grid.prolong(0.002);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) std::printf("late %.6f s\n", more * std::atoi(argv[1]));
  MPI_Finalize();
}
