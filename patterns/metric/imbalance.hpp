// SPDX-License-Identifier: BSD-3-Clause
// Computational imbalance: the difference of each location's computation from the average.
#pragma once

#include <cstdint>
#include <vector>

#include "patterns/metric/metric.hpp"
#include "patterns/metric/time.hpp"

namespace latecomer::patterns {

// Values of one call path over all locations of a run.
struct Participation {
  std::uint64_t locations = 0;  // number in the run
  std::uint64_t visitors = 0;   // locations that entered the call path at least once
  Ticks computation = 0;        // exclusive, sum over all locations
};

// The parts of one location's imbalance in a call path. At least one of above and below is 0.
struct Imbalance {
  Duration above = 0;        // more than the average
  Duration single = 0;       // part of above: no other location visits the call path
  Duration below = 0;        // less than the average
  Duration bypass = 0;       // part of below: this location never visits the call path
  Duration singularity = 0;  // part of bypass: only one location visits the call path
};

// Computation of one call path on three locations: 9, 3, none (not visited). Average 4:
//
//   location      0   1   2
//   computation   9   3   -
//   overload      5
//   underload         1   4, by not taking part
//
// The average is rounded to a whole tick.
[[nodiscard]] constexpr Imbalance imbalance(Duration own, bool visited, const Participation& all) {
  Imbalance out;
  if (all.locations == 0) return out;
  const auto n = static_cast<Ticks>(all.locations);
  const Ticks average = (all.computation + n / 2) / n;
  out.above = positive(own - average);
  out.below = positive(average - own);
  if (visited && all.visitors == 1) out.single = out.above;
  if (visited) return out;
  out.bypass = out.below;
  if (all.visitors == 1) out.singularity = out.below;
  return out;
}

[[nodiscard]] std::vector<Metric> imbalance_metrics();

}  // namespace latecomer::patterns
