// SPDX-License-Identifier: BSD-3-Clause
// Times of clock measurements for programs of different rates.
#include "tracer/session/clocks/clock_schedule.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <vector>

using namespace latecomer::session;

namespace {

using Seconds = double;

// Simulates a program whose operations take `duration(time)` each. Returns when clocks were
// measured, and counts the points.
std::vector<Seconds> measured(Seconds interval, Seconds length,
                              const std::function<Seconds(Seconds)>& duration, int& points) {
  const auto nanoseconds = [](Seconds s) { return static_cast<std::int64_t>(s * 1e9); };
  ClockSchedule schedule(nanoseconds(interval), 0);
  ClockPoint next = ClockSchedule::first();
  std::vector<Seconds> found;
  Seconds now = 0;
  points = 0;
  for (std::uint64_t count = 1; now < length; ++count) {
    now += duration(now);
    if (count < next.count) continue;
    REQUIRE(count == next.count);
    if (next.measure) found.push_back(now);
    next = schedule.next(count, nanoseconds(now), next.measure);
    REQUIRE(next.count >= count + 2);
    ++points;
  }
  return found;
}

}  // namespace

TEST_CASE("at a constant rate clocks are measured once per interval") {
  const Seconds duration = GENERATE(1e-4, 0.01, 1, 20);
  int points = 0;
  const auto times = measured(
      300, 3100, [=](Seconds) { return duration; }, points);
  CHECK(times.size() >= 9);
  CHECK(times.size() <= 10);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Seconds distance = times[i] - (i == 0 ? 0 : times[i - 1]);
    CHECK(distance >= 270);
    CHECK(distance <= 300 + 3 * duration + 20);
  }
  CHECK(points <= 110);
}

TEST_CASE("operations that are rarer than the interval measure at every second one") {
  int points = 0;
  CHECK(measured(
            300, 100'000, [](Seconds) { return 1000.0; }, points)
            .size() >= 40);
}

TEST_CASE("a program that slows down is measured later, one that speeds up in time") {
  int points = 0;
  // After 500 s operations take ten times as long: an interval planned as 37 s becomes at most 375
  // s.
  const auto slower = measured(
      300, 3000, [](Seconds t) { return t < 500 ? 0.01 : 0.1; }, points);
  for (std::size_t i = 1; i < slower.size(); ++i) CHECK(slower[i] - slower[i - 1] < 680);
  CHECK(slower.size() >= 7);
  const auto faster = measured(
      300, 3000, [](Seconds t) { return t < 500 ? 0.1 : 0.001; }, points);
  CHECK(faster.size() >= 9);
  CHECK(faster.size() <= 11);
}

TEST_CASE("a short program has few points and no measurement") {
  int points = 0;
  CHECK(measured(
            300, 10, [](Seconds) { return 1e-5; }, points)
            .empty());  // a million operations
  CHECK(points == 6);   // 16, 128, ..., 524288
}
