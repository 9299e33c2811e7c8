// SPDX-License-Identifier: BSD-3-Clause
// Turns measured offsets along a tree of clocks into a function from each clock to rank 0's.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "sync/measurement.hpp"
#include "sync/piecewise_linear.hpp"

namespace latecomer::sync {

// Function from the time of one clock to rank 0's, and the bound of its error.
struct Correction {
  struct Bound {
    Nanoseconds at = 0;  // time of this clock
    Nanoseconds error = 0;
  };
  PiecewiseLinear function;
  std::vector<Bound> bounds;  // ascending, at the times of all measurements on the way
  // Growth of the error in ticks per tick, before the first and after the last bound. The line
  // through two measurements continues there, and so does its error. 0: measured once, or unknown.
  double growth_before = 0, growth_after = 0;

  // Bound of the error: linear between bounds, growing beyond them. It does not cover what the
  // clocks do between two measurements. At most kLongest.
  [[nodiscard]] Nanoseconds error(Nanoseconds local) const;
};

struct Corrections {
  std::map<ClockId, Correction> clocks;  // all measured clocks, without rank 0's
  std::vector<std::string> notes;        // sentences about measurements that were left out
};

// Each link of the tree is a piecewise linear function through its measurements. The function of a
// clock applies that of its link, then that of its parent:
//
//   leader of a node -> master of its metahost -> rank 0
//
// A measurement is left out if it is not later than the previous one. It is also left out if its
// offset means that the clocks differ by more than kMaxDrift beyond what the errors explain. A
// clock without a measured way to rank 0 has no function.
inline constexpr Nanoseconds kMaxDrift = 100;  // one tick per this many
[[nodiscard]] Corrections corrections(std::span<const Measurement> measurements, Scheme scheme);

}  // namespace latecomer::sync
