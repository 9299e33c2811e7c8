// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/replay/time_outside_mpi.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

using namespace latecomer;

TEST_CASE("time outside of MPI: up to a change, at it, twice at a moment, behind the last one") {
  // Node 0 is the program, 1 a function of MPI:
  //   10 program   14 MPI   20 program
  trace::LocationEvents events;
  events.first = 10;
  events.timeline.open(10, 0);
  events.timeline.open(14, 1);
  events.timeline.open(20, 0);
  const std::vector<std::uint8_t> mpi = {0, 1};
  replay::TimeOutsideMpi outside(events, mpi);
  CHECK(outside.until(12) == 2);
  CHECK(outside.until(14) == 4);
  CHECK(outside.until(17) == 4);
  CHECK(outside.until(22) == 6);
  CHECK(outside.until(22) == 6);
  CHECK(outside.until(30) == 14);
}

TEST_CASE("time outside of MPI of a location without events") {
  const trace::LocationEvents none;
  const std::vector<std::uint8_t> mpi = {0};
  CHECK(replay::TimeOutsideMpi(none, mpi).until(0) == 0);
}
