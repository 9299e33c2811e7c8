// SPDX-License-Identifier: BSD-3-Clause
// Early Wait: the owner of a window waits for the processes that access it.
#pragma once

#include "patterns/metric/time.hpp"

namespace latecomer::patterns {

// Early Wait of MPI_Win_wait = begin of the last MPI_Win_complete of the group - own enter, limited
// by the own leave.
//
//   wait 2..10, completes begin at 5 and 8: 8 - 2 = 6
[[nodiscard]] constexpr Duration early_wait(Ticks enter, Ticks leave, Ticks last_complete) {
  return positive(std::min(last_complete, leave) - enter);
}

// Late Complete is the part of Early Wait after the last transfer to this process, when nothing was
// left to do.
//
//   the last transfer returned at 6: 8 - 6 = 2
[[nodiscard]] constexpr Duration late_complete(Ticks enter, Ticks last_complete,
                                               Ticks last_transfer, Duration wait) {
  return std::min(wait, positive(last_complete - std::max(last_transfer, enter)));
}

}  // namespace latecomer::patterns
