// SPDX-License-Identifier: BSD-3-Clause
// Divides the time that a location computed longer: more instructions, or slower ones.
#pragma once

#include <cstdint>
#include <optional>

namespace latecomer::replay {

// Instructions at a call path, and the ticks of computation on a core in which they were executed:
// sums over locations that counted them.
struct Instructions {
  std::int64_t locations = 0, number = 0, ticks = 0;

  friend Instructions operator-(const Instructions& a, const Instructions& b) {
    return {a.locations - b.locations, a.number - b.number, a.ticks - b.ticks};
  }
};

// A location in comparison with the mean of others. I are its instructions and t its time per
// instruction, I' and t' those of the others: the means of their instructions and times.
//
//   more      (I - I') t'    ticks of the additional instructions, at the speed of the others
//   slower    I (t - t')     ticks that its instructions took longer than on the others
//   together  I t - I' t'    how much longer it computed
//
//   own: 300 in 900 ticks, others: 200 in 400    t = 3, t' = 2: more 200, slower 300, together 500
struct MoreOrSlower {
  double more = 0, slower = 0;                 // ticks; negative: fewer, or faster
  double instructions = 1, time_for_each = 1;  // times those of the others
};

// Compares a location with the others that counted. None if it or they have not counted.
[[nodiscard]] std::optional<MoreOrSlower> compared(const Instructions& own,
                                                   const Instructions& all);

// The part of a cost, not negative, for which more instructions are the reason; the rest is for
// slower ones. The cost is divided in proportion to what is positive. None if neither is.
[[nodiscard]] std::optional<std::int64_t> cost_of_more(std::int64_t cost,
                                                       const MoreOrSlower& parts);

}  // namespace latecomer::replay
