// SPDX-License-Identifier: BSD-3-Clause
// Measured offsets along a tree of clocks -> a function to rank 0's clock for each of them.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "sync/measurement.hpp"
#include "sync/piecewise_linear.hpp"

namespace latecomer::sync {

// From the time of one clock to that of rank 0's, and how wrong that may be.
struct Correction {
  struct Bound {
    Nanoseconds at = 0;  // time of this clock
    Nanoseconds error = 0;
  };
  PiecewiseLinear function;
  std::vector<Bound> bounds;  // ascending, at the times of all measurements on the way
  // By how much of a tick the error grows with each tick before the first and after the last bound:
  // lines through two measurements go on, and so do their errors. 0: measured once, or not known.
  double growth_before = 0, growth_after = 0;

  // Linear between bounds; beyond them it grows. What the clocks do between two measurements is not
  // in it. At most kLongest.
  [[nodiscard]] Nanoseconds error(Nanoseconds local) const;
};

struct Corrections {
  std::map<ClockId, Correction> clocks;  // all that were measured, without rank 0's
  std::vector<std::string> notes;        // sentences about measurements that were left out
};

// Each link of the tree is a piecewise linear function through its measurements; the function of a
// clock is that of its parent after that of its link:
//   leader of a node -> master of its metahost -> rank 0
//
// Left out: a measurement that is not later than the one before, and one whose offset says that the
// clocks differ by more than kMaxDrift beyond what its errors explain. A clock with no measured way
// to rank 0 has no function.
inline constexpr Nanoseconds kMaxDrift = 100;  // one tick in so many
[[nodiscard]] Corrections corrections(std::span<const Measurement> measurements, Scheme scheme);

}  // namespace latecomer::sync
