// SPDX-License-Identifier: BSD-3-Clause
// Late Neighbor: a process is in a neighborhood operation before all its sources have entered it.
#pragma once

#include "patterns/metric/time.hpp"

namespace latecomer::patterns {

// Late Neighbor = begin of the last process that sends to this one - own begin, limited by the own
// end. Processes to which this one only sends, and all others, are not waited for.
//
//   a row    0 - 1 - 2 - 3
//   begin    3   9   4   1      each gets data from those beside it
//   end     10  10  10   5
//   wait     6   0   5   3      min(9, 10) - 3,  4 - 9,  min(9, 10) - 4,  min(4, 5) - 1
[[nodiscard]] constexpr Duration late_neighbor(Ticks begin, Ticks end, Ticks latest_source_begin) {
  return positive(std::min(latest_source_begin, end) - begin);
}

}  // namespace latecomer::patterns
