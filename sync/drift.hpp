// SPDX-License-Identifier: BSD-3-Clause
// The drift that messages show: how wrong each clock was in each part of the run.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sync/piecewise_linear.hpp"
#include "sync/shift.hpp"

namespace latecomer::sync {

// The shortest time of a message from one clock to another in one window of the run: receive -
// send, each on its own clock. It is at least the latency plus what the receiver's clock is ahead.
struct ShortestTime {
  std::uint32_t from = 0, to = 0;  // clocks
  std::uint32_t window = 0;
  Ticks time = 0;
  friend bool operator==(const ShortestTime&, const ShortestTime&) = default;
};

// When the offset of a clock was measured first and last; nowhere if last < first.
struct Measured {
  Ticks first = 0, last = -1;
};

// Let x be how far each clock is ahead of the truth within a window, e the shortest times, mu the
// latency. Then mu - e(b, a) <= x(b) - x(a) <= e(a, b) - mu. The middle of these bounds is off by
// half the difference of the two shortest latencies, even while the clocks drift within the window:
// the two shortest times then come from its two ends.
//
//   a -> b 30, b -> a 10, mu = 5:   -5 <= x(b) - x(a) <= 25, middle 10
//
// With x(0) = 0, x is the point within all bounds of the window that is nearest to 0, the measured
// offsets, by the sum of squares. As the bounds form a convex set that holds the truth, that point
// is never farther from the truth than 0 is; where the measured offsets fulfil all bounds nothing
// changes. Clocks that are bounded on one side only are left out. Narrow bounds inside a metahost
// decide inside it, and the wide area only what is between.
//
//   -5 <= x(1) <= 25: 0.   15 <= x(1) <= 25: 15.   x(1) - x(2) = 300 alone: x = 150, -150
//
//   Bounds after Duda et al. 1987 and Jezequel 1989, with windows instead of hulls; the nearest
//   point by the method of Hildreth 1957.
// Returns the function from uncorrected to better times per clock. Outside of the outer windows'
// middles it goes to the measured offset (x = 0) at the first and last time when the clock was
// measured; beyond these, and where nothing was measured, the error stays what it was.
// `measured` has an entry for each clock, `shortest` one for each pair and window at most.
[[nodiscard]] std::vector<PiecewiseLinear> estimate_drift(
    std::span<const ShortestTime> shortest, std::span<const Measured> measured,
    std::uint32_t windows, Ticks width,
    const std::function<Ticks(std::uint32_t from, std::uint32_t to)>& latency);

}  // namespace latecomer::sync
