// SPDX-License-Identifier: BSD-3-Clause
// A moment of a replay that knows on which rates it depends.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

#include "analyzer/trace/events/core/region_events.hpp"

namespace latecomer::engine {

// A moment, and the recorded ticks of each rate on the way to it. The way goes from need to need,
// always back to the need that was met last. It exists for all durations. So a replay in which
// rate r has the pace p_r comes to this moment at the following time, or later:
//
//   at + sum over r of (p_r - the pace here) * of_rate[r]
//
// Each location rounds what it has had of a rate. So a way may be a tick too long for each time
// that it comes to a location.
struct Graded {
  static constexpr std::size_t kMostRates = 5;

  trace::Ticks at = 0;
  std::array<trace::Ticks, kMostRates> of_rate{};

  // Only the time counts.
  friend bool operator<(const Graded& a, const Graded& b) { return a.at < b.at; }
};

// The following functions are the same for plain moments.
template <class Moment>
inline constexpr Moment kUnknown{INT64_MIN};

inline trace::Ticks time_of(trace::Ticks moment) { return moment; }
inline trace::Ticks time_of(const Graded& moment) { return moment.at; }

template <class Moment>
[[nodiscard]] bool is_unknown(const Moment& moment) {
  return time_of(moment) == INT64_MIN;
}

inline trace::Ticks later(trace::Ticks moment, trace::Ticks by) {
  return trace::advanced(moment, by);
}
inline Graded later(Graded moment, trace::Ticks by) {
  moment.at = trace::advanced(moment.at, by);
  return moment;
}

// A moment at the same time, after so many recorded ticks of a rate.
inline void count(trace::Ticks& /*moment*/, std::uint32_t /*rate*/, trace::Ticks /*recorded*/) {}
inline void count(Graded& moment, std::uint32_t rate, trace::Ticks recorded) {
  if (rate < Graded::kMostRates) {
    moment.of_rate[rate] = trace::advanced(moment.of_rate[rate], recorded);
  }
}

}  // namespace latecomer::engine
