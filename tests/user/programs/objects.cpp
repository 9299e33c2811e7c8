// SPDX-License-Identifier: BSD-3-Clause
// Instrumented C++: a static constructor before main, a template, an exception, scopes.
#include <mpi.h>

#include <csignal>
#include <stdexcept>
#include <string>

#include "latecomer.h"

namespace app {

struct Early {
  Early() : value(prepare()) {}
  static int prepare() { return 1; }
  int value;
};
Early early;

template <typename T>
T twice(T x) {
  return x + x;
}

void fail() {
  LATECOMER_FUNCTION();
  throw 1;
}

int work() {
  LATECOMER_SCOPE("work scope");
  try {
    fail();
  } catch (int) {
  }
  return twice(early.value);
}

}  // namespace app

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int result = app::work();
  PMPI_Barrier(MPI_COMM_WORLD);  // the launcher kills all when one has died
  if (argc > 1 && std::string(argv[1]) == "kill") std::raise(SIGKILL);
  MPI_Finalize();
  return result == 2 ? 0 : 1;
}
