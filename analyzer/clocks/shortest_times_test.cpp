// SPDX-License-Identifier: BSD-3-Clause
// Shortest message times of each pair of clocks, by windows of the run.
#include "analyzer/clocks/shortest_times.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace latecomer;
using replay::ShortestTimes;
using replay::Windows;

TEST_CASE("the shortest time of each direction and window stays") {
  ShortestTimes times;
  times.add({1, 2, 0, 50});
  times.add({2, 1, 0, 40});
  times.add({1, 2, 0, 30});
  times.add({1, 2, 0, 70});
  times.add({1, 2, 3, 60});
  CHECK(times.find(1, 2, 0) == 30);
  CHECK(times.find(2, 1, 0) == 40);
  CHECK(times.find(1, 2, 3) == 60);
  CHECK(times.find(2, 1, 3) == ShortestTimes::kNone);
  CHECK(times.list().size() == 3);
}

TEST_CASE("property: where a window holds, it is the one of that time") {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const Windows windows{1 + static_cast<std::uint32_t>(random() % 5),
                          1 + static_cast<sync::Ticks>(random() % 20)};
    const auto time = static_cast<sync::Ticks>(random() % 200) - 50;
    const auto window = windows.of(time);
    CHECK(window < windows.count);
    for (std::uint32_t w = 0; w < windows.count; ++w) {
      if (windows.holds(w, time)) CHECK(w == window);
    }
    // Every time within the run has a window.
    if (time >= 0 && time < windows.count * windows.width) CHECK(windows.holds(window, time));
  }
}
