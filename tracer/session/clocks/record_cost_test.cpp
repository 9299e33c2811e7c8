// SPDX-License-Identifier: BSD-3-Clause
// The measured cost of an event is a plausible time, in nanoseconds of the clock.
#include "tracer/session/clocks/record_cost.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "tracer/session/clocks/timer.hpp"

using namespace latecomer::session;

TEST_CASE("the cost of an event is that of a record and a clock reading") {
  use_timer(default_timer());
  const auto clock = calibrate(read_moment());
  const auto cost = cost_of_events(clock);
  CHECK(cost.nanoseconds > 1);
  CHECK(cost.nanoseconds < 20'000);  // also with sanitizers on a busy machine
  CHECK(cost.spread >= 0);
  // The work takes as many ticks, so its cost grows with the length of a tick.
  auto slow = clock;
  slow.nanoseconds_per_tick = 1000 * clock.nanoseconds_per_tick;
  CHECK(cost_of_events(slow).nanoseconds > 20 * cost.nanoseconds);
}

TEST_CASE("the cost of an event is the median, its spread half the distance of the quartiles") {
  latecomer::record::ClockDefinition clock;
  clock.nanoseconds_per_tick = 2;
  // Per event and in nanoseconds: 20, 22, 24, 30, and a round that was interrupted.
  std::vector<latecomer::record::Ticks> rounds = {100'000, 220, 200, 300, 240};
  const auto cost = cost_of_rounds(rounds, 20, clock);
  CHECK(cost.nanoseconds == 24);
  CHECK(cost.spread == 4);  // 22 to 30
}
