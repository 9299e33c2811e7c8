// SPDX-License-Identifier: BSD-3-Clause
// Times of call paths as sparse sums: differences, ranges and extremes.
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

TEST_CASE("times by node: where there is more than elsewhere, of those that have any") {
  const std::vector<trace::Ticks> a = {9, 5, 4, 3}, b = {2, 5, 1, 4};
  causes::NodeTimes longer(4), shorter(4);
  longer.add(3, 8);  // is replaced
  longer.put_difference(a.data(), b.data());
  longer.put_more(2, -1);
  CHECK(all_of(longer) ==
        std::vector<std::pair<std::uint32_t, trace::Ticks>>{{0, 7}, {2, 2}, {3, -1}});
  shorter.add(0, 3);
  shorter.add(1, -6);
  shorter.add(3, 0);
  const auto more = [](const causes::NodeTimes& times, const causes::NodeTimes& than) {
    std::vector<std::pair<std::uint32_t, trace::Ticks>> all;
    times.for_each_longer_than(
        than, [&](std::uint32_t node, trace::Ticks time) { all.emplace_back(node, time); });
    return all;
  };
  CHECK(more(longer, shorter) ==
        std::vector<std::pair<std::uint32_t, trace::Ticks>>{{0, 4}, {2, 2}});
  CHECK(more(shorter, longer) == std::vector<std::pair<std::uint32_t, trace::Ticks>>{{3, 1}});
  longer.clear();
  CHECK(all_of(longer).empty());
  CHECK(more(shorter, longer) == std::vector<std::pair<std::uint32_t, trace::Ticks>>{{0, 3}});
}
