// SPDX-License-Identifier: BSD-3-Clause
// The durations of a changed run, as factors of the recorded ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace latecomer::engine {

__extension__ using Wide = __int128;

// A duration becomes duration * numerator / denominator. Whole numbers, so that sums do not depend
// on how a computer rounds.
struct Pace {
  std::int64_t numerator = 1, denominator = 1;

  [[nodiscard]] bool changes() const { return numerator != denominator; }
  // Rounded down, at most kMost.
  [[nodiscard]] std::int64_t of(std::int64_t ticks) const {
    std::int64_t product = 0;
    if (!__builtin_mul_overflow(ticks, numerator, &product)) [[likely]] {
      return std::min(product / denominator, kMost);
    }
    const auto all = static_cast<Wide>(ticks) * numerator / denominator;
    return all > kMost ? kMost : static_cast<std::int64_t>(all);
  }
  static constexpr std::int64_t kMost = INT64_MAX / 4;
};

// The durations of a changed run. By default nothing changes.
struct Durations {
  std::uint32_t rates = 0;
  std::vector<Pace> of_rate;  // location x rate
  // The pace of a location at a rate.
  [[nodiscard]] Pace pace(std::uint32_t location, std::uint32_t rate) const {
    return of_rate.empty() ? Pace{} : of_rate[std::size_t{location} * rates + rate];
  }
  Pace latency, bandwidth;  // of the share of latency, and of the rest
  bool eager = false;       // needs that are marked kIfBlocked are dropped
};

}  // namespace latecomer::engine
