// SPDX-License-Identifier: BSD-3-Clause
// New times go on, stop and jump, and do not depend on the order of queries.
#include "analyzer/clocks/moved_times.hpp"

#include <catch2/catch.hpp>
#include <utility>
#include <vector>

using namespace latecomer;
using replay::MovedTimes;

namespace {

using Pairs = std::vector<std::pair<MovedTimes::Ticks, MovedTimes::Ticks>>;

const Pairs kTimes = {{-5, -5}, {0, 0},   {5, 5},   {7, 7},   {8, 7},  {10, 7},
                      {12, 9},  {19, 16}, {20, 25}, {21, 26}, {90, 95}};

MovedTimes times() {
  MovedTimes times;
  times.add(0, 0);
  times.add(10, 7);
  times.add(20, 25);
  return times;
}

}  // namespace

TEST_CASE("moved times go on, stop and jump") {
  auto moved = times();
  for (const auto& [t, value] : kTimes) CHECK(moved(t) == value);
  for (auto at = kTimes.rbegin(); at != kTimes.rend(); ++at) CHECK(moved(at->first) == at->second);
  CHECK_FALSE(moved.identity());
}

TEST_CASE("moved times: how long a shift lasts") {
  auto moved = times();
  CHECK(moved.added(3) == 0);
  CHECK(moved.until() == 7);
  CHECK(moved.added(8) == -1);
  CHECK(moved.until() == 9);
  CHECK(moved.added(12) == -3);
  CHECK(moved.until() == 20);
  CHECK(moved.same(19));
  CHECK_FALSE(moved.same(11));
}

TEST_CASE("moved times never run backwards, and may be empty") {
  MovedTimes none;
  CHECK(none(17) == 17);
  CHECK(none.identity());
  MovedTimes moved;
  moved.add(0, 5);
  moved.add(10, 3);
  moved.add(10, 6);
  CHECK(moved(0) == 5);
  CHECK(moved(9) == 6);
  CHECK(moved(10) == 6);
}
