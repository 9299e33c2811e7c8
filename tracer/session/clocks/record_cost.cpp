// SPDX-License-Identifier: BSD-3-Clause
// Records into memory that is thrown away.
#include "tracer/session/clocks/record_cost.hpp"

#include <algorithm>
#include <array>

#include "tracer/record/writer.hpp"
#include "tracer/session/clocks/timer.hpp"

namespace latecomer::session {

RecordCost cost_of_events(const record::ClockDefinition& clock) {
  constexpr int kRounds = 21, kCalls = 60;
  constexpr std::size_t kChunk = std::size_t{64} << 10;  // holds all records of all rounds
  record::ThreadWriter nowhere(0, kChunk, now());
  std::array<record::Ticks, kRounds> rounds{};
  for (auto& round : rounds) {
    const record::Ticks begin = now();
    for (int i = 0; i < kCalls; ++i) {
      nowhere.enter(1, now());
      nowhere.leave(1, now());
    }
    round = now() - begin;
  }
  return cost_of_rounds(rounds, 2 * kCalls, clock);
}

RecordCost cost_of_rounds(std::span<record::Ticks> rounds, int events,
                          const record::ClockDefinition& clock) {
  std::ranges::sort(rounds);
  const double one = clock.nanoseconds_per_tick / events;
  const auto at = [&](std::size_t quarters) {
    return static_cast<double>(rounds[(rounds.size() - 1) * quarters / 4]) * one;
  };
  return {at(2), (at(3) - at(1)) / 2};
}

}  // namespace latecomer::session
