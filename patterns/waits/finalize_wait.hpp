// SPDX-License-Identifier: BSD-3-Clause
// Wait at Finalize: the time from a process's own arrival in MPI_Finalize to that of the last
// process.
#pragma once

#include "patterns/metric/time.hpp"

namespace latecomer::patterns {

// Wait at Finalize of a process = latest enter of MPI_Finalize over all processes - own enter,
// limited by the own leave.
//
//   rank    0   1   2
//   enter   3   9   4     latest 9
//   leave  10  10   8
//   wait    6   0   4     9 - 3,  9 - 9,  min(9, 8) - 4
[[nodiscard]] constexpr Duration finalize_wait(Ticks enter, Ticks leave, Ticks latest_enter) {
  return positive(std::min(latest_enter, leave) - enter);
}

}  // namespace latecomer::patterns
