// SPDX-License-Identifier: BSD-3-Clause
// Drift of clocks from messages: the error of each clock in each part of the run.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sync/piecewise_linear.hpp"
#include "sync/shift.hpp"

namespace latecomer::sync {

// The shortest time of a message from one clock to another in one window of the run: receive -
// send, each on its own clock. It is at least the latency plus the lead of the receiver's clock.
struct ShortestTime {
  std::uint32_t from = 0, to = 0;  // clocks
  std::uint32_t window = 0;
  Ticks time = 0;
  friend bool operator==(const ShortestTime&, const ShortestTime&) = default;
};

// First and last time at which the offset of a clock was measured; none if last < first.
struct Measured {
  Ticks first = 0, last = -1;
};

// Let x be the lead of each clock over the true time within a window, e the shortest times, mu the
// latency. Then mu - e(b, a) <= x(b) - x(a) <= e(a, b) - mu. The middle of these bounds is off by
// half the difference of the two shortest latencies. That holds even if the clocks drift within the
// window: the two shortest times then come from its two ends.
//
//   a -> b 30, b -> a 10, mu = 5:   -5 <= x(b) - x(a) <= 25, middle 10
//
// 0 stands for the measured offsets. With x(0) = 0, x is the point within all bounds of the window
// that is nearest to 0 by the sum of squares. The bounds form a convex set that contains the truth,
// so that point is never farther from the truth than 0 is. If the measured offsets fulfil all
// bounds, nothing changes. Clocks that are bounded on one side only are left out. Narrow bounds
// inside a metahost determine its own clocks; those of the wide area only determine the distance
// between metahosts.
//
//   -5 <= x(1) <= 25: 0.   15 <= x(1) <= 25: 15.   x(1) - x(2) = 300 alone: x = 150, -150
//
// The bounds follow Duda et al. 1987 and Jezequel 1989, with windows instead of hulls. The nearest
// point is found by the method of Hildreth 1957.
//
// Returns a function from uncorrected to better times per clock. Beyond the middles of the outer
// windows it approaches the measured offset (x = 0) at the first and last time when the clock was
// measured. Beyond these times, and without measurements, the error stays constant. `measured` has
// an entry for each clock, `shortest` at most one for each pair and window.
[[nodiscard]] std::vector<PiecewiseLinear> estimate_drift(
    std::span<const ShortestTime> shortest, std::span<const Measured> measured,
    std::uint32_t windows, Ticks width,
    const std::function<Ticks(std::uint32_t from, std::uint32_t to)>& latency);

}  // namespace latecomer::sync
