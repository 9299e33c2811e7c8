// SPDX-License-Identifier: BSD-3-Clause
// The map from recorded to corrected times, evaluated in any order.
#include "sync/time_map.hpp"

#include <catch2/catch.hpp>

using namespace latecomer::sync;

namespace {

constexpr Ticks kStep = 1'000;

// A jump every kStep ticks, each by `size` above the rest of the earlier ones.
Shift jumps(int count, Ticks size) {
  Shift shift(1000);
  for (int i = 1; i <= count; ++i) shift.raise(i * kStep, shift.at(i * kStep) + size);
  return shift;
}

// Sends between the jumps, each with a bit less room than the next one.
std::vector<Slack> sends(int count) {
  std::vector<Slack> slacks;
  for (int i = 1; i <= count; ++i) slacks.push_back({i * kStep - 1, 10 + i});
  return slacks;
}

}  // namespace

TEST_CASE("time map: lines that overlap are kept about once") {
  // Each of 200 jumps of 5,000 ticks has a line over the 500,000 before it: all overlap at the
  // beginning.
  const Shift shift = jumps(200, 5'000);
  const auto slacks = sends(200);
  const Advance advance(shift, 0, slacks);
  const auto lines = advance.lines();
  REQUIRE(lines.size() >= 200);
  const TimeMap map(shift, lines);
  CHECK(map.kept_lines() <= 2 * lines.size());
  for (Ticks c = 0; c < 201 * kStep; c += 7) {
    REQUIRE(map(c) == c + shift.at(c) + advance.at(c));
  }
  for (Ticks c = 201 * kStep; c > 0; c -= 1'013) {  // and backward
    REQUIRE(map(c) == c + shift.at(c) + advance.at(c));
  }
}

TEST_CASE("advance: of many jumps at once only the last ones have intervals") {
  const int many = 10 * static_cast<int>(Advance::kMostAtOnce);
  const Shift shift = jumps(many, 1'000'000);
  const Advance advance(shift, 0, {});
  // All lines would reach back to the beginning.
  CHECK(advance.lines().size() == Advance::kMostAtOnce);
  // The first jumps have no lines, so events only get later there, by the rest of the jumps.
  CHECK(advance.at(kStep) > 0);
}
