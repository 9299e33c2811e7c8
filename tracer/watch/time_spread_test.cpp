// SPDX-License-Identifier: BSD-3-Clause
// Distributions: the arithmetic, and independence of the order of adding.
#include "tracer/watch/time_spread.hpp"

#include <catch2/catch.hpp>
#include <numeric>
#include <random>

using namespace latecomer::watch;

TEST_CASE("mean, extremes, deviation and median of four times") {
  // 2, 4, 4, 10: sum 20, mean 5; squares of the distances 9 + 1 + 1 + 25 = 36, 36 / 4 = 9, root 3
  TimeSpread spread;
  spread.add(0, 4);
  spread.add(1, 10);
  spread.add(2, 2);
  spread.add(3, 4);
  CHECK(spread.count() == 4);
  CHECK(spread.sum() == 20);
  CHECK(spread.mean() == 5);
  CHECK(spread.least() == 2);
  CHECK(spread.largest() == 10);
  CHECK(spread.deviation() == 3);
  CHECK(spread.latest_median() == 4);  // the second of 2, 4, 4, 10
}

TEST_CASE("a distribution without values is zero") {
  const TimeSpread spread;
  CHECK(spread.mean() == 0);
  CHECK(spread.deviation() == 0);
  CHECK(spread.latest_median() == 0);
}

TEST_CASE("the median is that of the latest hundred, in whatever order they are added") {
  // Value i for operation i of 0 .. 999: the latest hundred are 900 .. 999; the 50th of them is
  // 949.
  std::vector<std::int64_t> order(1000);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    TimeSpread spread;
    for (const std::int64_t i : order) spread.add(i, i);
    REQUIRE(spread.latest_median() == 949);
    REQUIRE(spread.sum() == 999 * 1000 / 2);
    std::ranges::shuffle(order, random);
  }
}
