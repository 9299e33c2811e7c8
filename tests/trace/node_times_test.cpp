// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "analyzer/causes/call_path_times.hpp"

using namespace latecomer;

TEST_CASE("times by node: each that was touched once, in order, until they are cleared") {
  causes::NodeTimes times(3);
  causes::NodeTimes::Adding adding(times);
  adding.add(2, 5);
  adding.add(0, 1);
  adding.add(2, -5);
  CHECK(times.nodes() == std::vector<std::uint32_t>{2, 0});
  CHECK(times[0] == 1);
  CHECK(times[2] == 0);
  times.clear();
  CHECK(times.nodes().empty());
  times.add(2, 7);
  CHECK(times[2] == 7);
  CHECK(times[0] == 0);
}
