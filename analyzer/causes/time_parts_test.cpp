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
  // blocked for 3 ticks since the value before. Node 2: 50 instructions and 4 page faults at 9. A
  // sample without a period at 5 tells nothing.
  trace::Definitions definitions;
  definitions.sample_clocks = {{.period = 10}, {.period = 10, .in_kernel = true}, {.period = 0}};
  trace::LocationEvents events;
  events.time.resize(3);
  events.sampled = {{.node = 1}};
  events.sample_times = {{4, 0, 0}, {5, 0, 2}, {6, 0, 1}};
  events.stretches = {{7, 1, StretchCounter::kPreempted, 2},
                      {7, 1, StretchCounter::kBlocked, 3},
                      {9, 2, StretchCounter::kInstructions, 50},
                      {9, 2, StretchCounter::kPageFaults, 4}};
  const TimeParts parts(events, definitions);
  const auto all = parts.at(1, 0, 10);
  CHECK(all.user == 10);
  CHECK(all.kernel == 10);
  CHECK(all.samples == 2);
  CHECK(all.preempted == 2);
  CHECK(all.blocked == 3);
  CHECK(all.instructions == 0);
  CHECK(parts.at(2, 0, 10).instructions == 50);
  CHECK(parts.at(2, 0, 10).page_faults == 4);
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

TEST_CASE("the places that were told of a stretch") {
  // Node 1: samples of 2 us in place 1 at 2 and 6, in place 0 at 4; blocked for 5 ns at 4 and for 7
  // ns at 8, in one call.
  trace::Definitions definitions;
  definitions.sample_clocks = {{.period = 2000}};
  trace::LocationEvents events;
  events.time.resize(2);
  events.sampled = {{.node = 1, .at = 3, .region = 20, .source = 88}, {.node = 1, .at = 4}};
  events.sample_times = {{2, 1, 0}, {4, 0, 0}, {6, 1, 0}};
  events.blocked = {{.node = 1, .at = 3, .region = 20, .source = 90, .function = 21}};
  events.blocked_times = {{4, 0, 5}, {8, 0, 7}};
  const TimeParts parts(events, definitions);
  const auto all = parts.places_at(1, 0, 10);
  REQUIRE(all.size() == 3);
  using enum causes::Place::Kind;
  CHECK(all[0].place == causes::Place{kSampled, 3, 20, 88, trace::kNone});
  CHECK(all[0].nanoseconds == 2000);
  CHECK(all[0].variance == 4);  // square microseconds
  CHECK(all[1].place == causes::Place{kSampled, 4, trace::kNone, trace::kNone, trace::kNone});
  CHECK(all[1].nanoseconds == 4000);
  CHECK(all[1].variance == 8);
  CHECK(all[2].place == causes::Place{kBlocked, 3, 20, 90, 21});
  CHECK(all[2].nanoseconds == 12);
  const auto later = parts.places_at(1, 4, 8);  // after 4, up to 8
  REQUIRE(later.size() == 2);
  CHECK(later[0].nanoseconds == 2000);
  CHECK(later[1].nanoseconds == 7);
  CHECK(parts.any(7, 8));
  CHECK(parts.places_at(0, 0, 10).empty());
  CHECK(parts.places_at(7, 0, 10).empty());
}

TEST_CASE("a time without a core while a call waits is left out") {
  // A call of node 1 from 2 to 12 waits for 4 and then for 1, so it goes on at 7. It had no core
  // from 3 to 6, from 5 to 9 and from 10 to 11. After it there is no core for 2 in node 0.
  trace::LocationEvents events;
  events.time.resize(2);
  events.calls.push_back({2, 12, 1});
  events.stretches = {{6, 1, StretchCounter::kPreempted, 3},
                      {9, 1, StretchCounter::kPreempted, 4},
                      {11, 1, StretchCounter::kPreempted, 1},
                      {14, 0, StretchCounter::kPreempted, 2}};
  std::vector<causes::SyncPoint> points(2);
  points[0].wait = 4;
  points[1].wait = 1;
  const TimeParts parts(events, {}, points);
  CHECK(parts.at(1, 0, 8).preempted == 0);
  CHECK(parts.at(1, 8, 9).preempted == 2);
  CHECK(parts.at(1, 9, 12).preempted == 1);
  CHECK(parts.at(0, 12, 20).preempted == 2);
}
