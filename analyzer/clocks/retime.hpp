// SPDX-License-Identifier: BSD-3-Clause
// Gives all events of a location other times.
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/clocks/moved_times.hpp"
#include "analyzer/match/corrected_times.hpp"
#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::replay {

// Extent of a change; sums and maxima over locations.
struct Retimed {
  std::int64_t events = 0, moved = 0;  // enters, leaves and records of communication
  trace::Ticks largest_shift = 0;
  trace::Ticks largest_growth = 0;  // growth of the time between enters or leaves
  std::int64_t distortion_ppm = 0;  // growth in millionths of that time

  // Notes that the time between two events, `length` before, grew by `growth`.
  void grown(trace::Ticks growth, trace::Ticks length) {
    if (growth <= 0) return;
    largest_growth = std::max(largest_growth, growth);
    // Divisions take longer than all the rest, so they are done only for a new maximum.
    __extension__ using Wide = __int128;
    constexpr std::int64_t kMillion = 1'000'000;
    if (Wide{growth} * kMillion < Wide{distortion_ppm + 1} * length) return;
    distortion_ppm = growth / length * kMillion + growth % length * kMillion / length;
  }

  Retimed& operator+=(const Retimed& other) {
    events += other.events;
    moved += other.moved;
    largest_shift = std::max(largest_shift, other.largest_shift);
    largest_growth = std::max(largest_growth, other.largest_growth);
    distortion_ppm = std::max(distortion_ppm, other.distortion_ppm);
    return *this;
  }
};

// Moves all events of a location. The times of its call paths change with them.
Retimed retime(trace::LocationEvents& events, CorrectedTimes& times, std::uint32_t process);
Retimed retime(trace::LocationEvents& events, MovedTimes& times);

}  // namespace latecomer::replay
