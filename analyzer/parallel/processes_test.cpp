// SPDX-License-Identifier: BSD-3-Clause
// Decisions that all processes make together.
#include "analyzer/parallel/processes.hpp"

#include <catch2/catch.hpp>
#include <cstdint>

using namespace latecomer;

TEST_CASE("the process with the smallest value, of equal ones the first") {
  parallel::Processes processes(MPI_COMM_WORLD);
  const int rank = processes.rank(), last = processes.size() - 1;
  CHECK(processes.least(-rank) == last);
  CHECK(processes.least(7) == 0);
  CHECK(processes.least(rank == 0 ? INT64_MAX : 7) == (last > 0 ? 1 : 0));
  CHECK(processes.least(INT64_MAX) == 0);
}
