// SPDX-License-Identifier: BSD-3-Clause
// Values cached from one event to the next change no time by a tick.
#include "analyzer/trace/definitions/clock_correction.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

using namespace latecomer;
using trace::ClockOffset;

namespace {

// The formula, evaluated anew for every time: linear between two offsets; the outer pieces are
// extended.
std::uint64_t by_formula(const std::vector<ClockOffset>& offsets, std::uint64_t time) {
  if (offsets.size() < 2) return time;
  std::size_t piece = 0;
  while (piece + 2 < offsets.size() && time > offsets[piece + 1].time) ++piece;
  const ClockOffset &from = offsets[piece], &to = offsets[piece + 1];
  const double slope =
      static_cast<double>(to.offset - from.offset) / static_cast<double>(to.time - from.time);
  const auto run = static_cast<std::int64_t>(time - from.time);
  return time +
         static_cast<std::uint64_t>(from.offset + std::llrint(slope * static_cast<double>(run)));
}

}  // namespace

TEST_CASE("corrected times are those of the formula, the first one, too") {
  // 5 ticks in 10 are half a tick per tick; halves are rounded to the even number.
  //   time   100   101        103       110   90
  //   added    0   0.5 -> 0   1.5 -> 2    5   -5
  const std::vector<ClockOffset> offsets = {{100, 0}, {110, 5}};
  trace::RecordedOffsets correct(offsets);
  CHECK(correct(100) == 100);
  CHECK(correct(101) == 101);
  CHECK(correct(103) == 105);
  CHECK(correct(110) == 115);
  CHECK(correct(90) == 85);
  const std::vector<ClockOffset> constant = {{10, 7}, {20, 7}};
  CHECK(trace::RecordedOffsets(constant)(0) == 7);
  const std::vector<ClockOffset> none;
  CHECK(trace::RecordedOffsets(none)(42) == 42);
}

TEST_CASE("corrected times of random offsets are those of the formula to the tick") {
  std::mt19937_64 random(1);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  for (int round = 0; round < 300; ++round) {
    std::vector<ClockOffset> offsets;
    std::uint64_t at = below(2) == 0 ? below(1000) : std::uint64_t{1} << (20 + below(40));
    const std::uint64_t run = std::uint64_t{1} << (1 + below(36));
    const std::int64_t rise = std::int64_t{1} << below(30);
    for (std::uint64_t n = 2 + below(4); n > 0; --n) {
      const auto size = static_cast<std::uint64_t>(2 * rise + 1);
      offsets.push_back({at, static_cast<std::int64_t>(below(size)) - rise});
      at += 1 + below(run);
    }
    trace::RecordedOffsets correct(offsets);
    // Small and large steps, from before the first offset to after the last one.
    std::uint64_t time = offsets.front().time - std::min(offsets.front().time, below(run));
    const std::uint64_t step = std::max<std::uint64_t>(1, run >> below(12));
    for (int event = 0; event < 300; ++event) {
      if (correct(time) != by_formula(offsets, time)) {
        CAPTURE(round, event, time);
        CHECK(correct(time) == by_formula(offsets, time));
        return;
      }
      time += below(8) == 0 ? 0 : 1 + below(step);
    }
  }
}
