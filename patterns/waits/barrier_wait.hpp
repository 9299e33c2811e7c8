// SPDX-License-Identifier: BSD-3-Clause
// Wait at Barrier: the time from a process's own arrival to the arrival of the last process.
#pragma once

#include "patterns/metric/time.hpp"

namespace latecomer::patterns {

// Barrier wait of a process = latest begin over the communicator - own begin, limited by the own
// end.
//
//   rank   0   1   2
//   begin  3   9   4     latest = 9
//   wait   6   0   5
[[nodiscard]] constexpr Duration barrier_wait(Ticks begin, Ticks end, Ticks latest_begin) {
  return positive(std::min(latest_begin, end) - begin);
}

}  // namespace latecomer::patterns
