// SPDX-License-Identifier: BSD-3-Clause
// objects: calls of MPI from members, templates, lambdas, constructors and catch blocks.
#include <mpi.h>

#include <cstdio>
#include <stdexcept>
#include <vector>

namespace app {

class Field {
 public:
  explicit Field(int n) : values_(static_cast<std::size_t>(n), 1.0) {
    MPI_Barrier(MPI_COMM_WORLD);
    for (double& v : values_) v *= 2;
  }
  double sum() const;
  template <typename T>
  T scaled(T factor) const {
    const T result = static_cast<T>(sum()) * factor;
    MPI_Barrier(MPI_COMM_WORLD);
    return result + factor;
  }

 private:
  std::vector<double> values_;
};

double Field::sum() const {
  double mine = 0, all = 0;
  for (const double v : values_) mine += v;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all * 1.0;
}

void fail() { throw std::runtime_error("expected"); }

double recover(const Field& field) {
  try {
    fail();
  } catch (const std::exception&) {
    return field.sum() + 1;
  }
  return 0;
}

}  // namespace app

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const app::Field field(10);
  double total = field.scaled(2.0) + field.scaled(3);
  total += app::recover(field);
  MPI_Finalize();
  std::puts(total > 0 ? "objects: ok" : "objects: WRONG RESULT");
  return 0;
}
