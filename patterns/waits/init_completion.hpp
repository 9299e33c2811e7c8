// SPDX-License-Identifier: BSD-3-Clause
// Initialization Completion: the time that MPI_Init went on after it could have ended.
#pragma once

#include "patterns/metric/time.hpp"

namespace latecomer::patterns {

// Initialization Completion of a process = its leave of MPI_Init - max(latest enter, earliest
// leave) over all processes.
//
//   rank         0   1   2
//   enter        0   4   1     latest enter 4
//   leave        7   6   9     earliest leave 6
//   completion   1   0   3     7 - 6,  6 - 6,  9 - 6
[[nodiscard]] constexpr Duration init_completion(Ticks leave, Ticks latest_enter,
                                                 Ticks earliest_leave) {
  return positive(leave - std::max(latest_enter, earliest_leave));
}

}  // namespace latecomer::patterns
