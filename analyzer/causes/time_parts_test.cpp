// SPDX-License-Identifier: BSD-3-Clause
// Amounts between two moments, and their division by call path.
#include "analyzer/causes/time_parts.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace latecomer;
using causes::RunningSums;
using causes::TimeParts;
using trace::StretchCounter;

TEST_CASE("amounts after one moment, up to another one") {
  RunningSums<1> sums;
  sums.add(3, {5});
  sums.add(8, {1});
  sums.add(8, {2});
  sums.add(9, {4});
  const auto between = [&](trace::Ticks from, trace::Ticks to) {
    return sums.between(sums.until(from), sums.until(to))[0];
  };
  CHECK(between(3, 8) == 3);
  CHECK(between(2, 8) == 8);
  CHECK(between(0, 100) == 12);
  CHECK(between(8, 9) == 4);
  CHECK(between(9, 100) == 0);
}

TEST_CASE("questions in any order have the answers of a search from the begin") {
  std::mt19937_64 random(3);
  RunningSums<1> sums;
  std::vector<trace::Ticks> times;
  trace::Ticks time = 0;
  for (int i = 0; i < 500; ++i) {
    time += static_cast<trace::Ticks>(random() % 4);
    times.push_back(time);
    sums.add(time, {1});
  }
  for (int i = 0; i < 5000; ++i) {
    const auto at = static_cast<trace::Ticks>(random() % 2200) - 100;
    const auto expected = std::ranges::upper_bound(times, at) - times.begin();
    REQUIRE(sums.until(at) == static_cast<std::size_t>(expected));
  }
}

TEST_CASE("times that run backwards in a damaged archive count as the time before") {
  RunningSums<1> sums;
  sums.add(5, {1});
  sums.add(2, {1});
  CHECK(sums.until(4) == 0);
  CHECK(sums.until(5) == 2);
}

TEST_CASE("what was told of each call path") {
  // Node 1: a sample of 10 ns at 4 and one in the kernel at 6; at 7 it had no core for 2 and was
  // blocked for 3 ticks since the value before. Node 2: 50 instructions at 9. A sample without a
  // period at 5 tells nothing.
  trace::Definitions definitions;
  definitions.sample_clocks = {{.period = 10}, {.period = 10, .in_kernel = true}, {.period = 0}};
  trace::LocationEvents events;
  events.time.resize(3);
  events.sampled = {{.node = 1}};
  events.sample_times = {{4, 0, 0}, {5, 0, 2}, {6, 0, 1}};
  events.stretches = {{7, 1, StretchCounter::kPreempted, 2},
                      {7, 1, StretchCounter::kBlocked, 3},
                      {9, 2, StretchCounter::kInstructions, 50}};
  const TimeParts parts(events, definitions);
  const auto all = parts.at(1, 0, 10);
  CHECK(all.user == 10);
  CHECK(all.kernel == 10);
  CHECK(all.samples == 2);
  CHECK(all.preempted == 2);
  CHECK(all.blocked == 3);
  CHECK(all.instructions == 0);
  CHECK(parts.at(2, 0, 10).instructions == 50);
  CHECK(parts.at(1, 4, 6).user == 0);  // after 4
  CHECK(parts.at(1, 4, 6).kernel == 10);
  CHECK_FALSE(parts.at(0, 0, 10).any());
  CHECK_FALSE(parts.at(77, 0, 10).any());
  CHECK(parts.any(3, 4));
  CHECK(parts.any(8, 9));
  CHECK_FALSE(parts.any(7, 8));
  CHECK_FALSE(parts.any(9, 100));
  CHECK_FALSE(TimeParts({}, definitions).any(0, 100));
}
