// SPDX-License-Identifier: BSD-3-Clause
// The measured cost of an event is a plausible time, in nanoseconds of the clock.
#include "tracer/session/clocks/record_cost.hpp"

#include <catch2/catch.hpp>

#include "tracer/session/clocks/timer.hpp"

using namespace latecomer::session;

TEST_CASE("the cost of an event is that of a record and a clock reading") {
  use_timer(default_timer());
  const auto clock = calibrate(read_moment());
  const double cost = nanoseconds_per_event(clock);
  CHECK(cost > 1);
  CHECK(cost < 20'000);  // also with sanitizers on a busy machine
  // The work takes as many ticks, so its cost grows with the length of a tick.
  auto slow = clock;
  slow.nanoseconds_per_tick = 1000 * clock.nanoseconds_per_tick;
  CHECK(nanoseconds_per_event(slow) > 20 * cost);
}
