// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/causes/node_times.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <utility>
#include <vector>

using namespace latecomer;

namespace {

std::vector<std::pair<std::uint32_t, trace::Ticks>> all_of(const causes::NodeTimes& times) {
  std::vector<std::pair<std::uint32_t, trace::Ticks>> all;
  times.for_each([&](std::uint32_t node, trace::Ticks time) { all.emplace_back(node, time); });
  return all;
}

}  // namespace

TEST_CASE("times by node: each that was touched once, until they are cleared") {
  causes::NodeTimes times(200);
  {
    causes::NodeTimes::Adding adding(times);
    adding.add(2, 5);
    adding.add(0, 1);
    adding.add(64, 4);
    adding.add(2, -5);
    adding.add(199, 3);
    adding.add(64, 1);
  }
  CHECK(all_of(times) ==
        std::vector<std::pair<std::uint32_t, trace::Ticks>>{{0, 1}, {2, 0}, {64, 5}, {199, 3}});
  CHECK(times[0] == 1);
  CHECK(times[1] == 0);
  CHECK(times[64] == 5);
  times.clear();
  CHECK(all_of(times).empty());
  times.add(2, 7);
  CHECK(times[2] == 7);
  CHECK(times[0] == 0);
  CHECK(times[199] == 0);
}
