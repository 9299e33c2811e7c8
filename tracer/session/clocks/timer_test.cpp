// SPDX-License-Identifier: BSD-3-Clause
// Timers run forward and agree with the clock after calibration.
#include "tracer/session/clocks/timer.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace latecomer::session;

TEST_CASE("every timer is calibrated to its clock") {
  const auto timer = GENERATE(Timer::kTsc, Timer::kMonotonic, Timer::kRealtime);
  if (timer == Timer::kTsc && !counter_is_reliable()) return;
  use_timer(timer);
  const Moment start = read_moment();
  const auto clock = calibrate(start);
  CHECK(clock.timer == name(timer));
  const Moment end = read_moment();
  const auto expected =
      static_cast<std::int64_t>(timer == Timer::kRealtime ? end.wall : end.monotonic);
  // Calibration takes 20 ms, and two readings are uncertain by about 50 ns each. The error stays
  // far below 20 us even when the process is descheduled between two readings of a moment.
  CHECK(std::abs(clock.nanoseconds(ticks_of(end)) - expected) < 20'000);
  CHECK(clock.nanoseconds(ticks_of(start)) == clock.base_nanoseconds);
  use_timer(Timer::kMonotonic);
}

TEST_CASE("time does not run backwards") {
  use_timer(default_timer());
  Ticks last = now();
  for (int i = 0; i < 100000; ++i) {
    const Ticks next = now();
    if (next < last) FAIL("step " << i);
    last = next;
  }
}
