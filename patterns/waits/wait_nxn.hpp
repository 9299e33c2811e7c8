// SPDX-License-Identifier: BSD-3-Clause
// Wait at N x N: no process can leave an all-to-all operation before the last one has entered it.
#pragma once

#include "patterns/metric/time.hpp"

namespace latecomer::patterns {

// Wait at N x N of a process that receives data = begin of the last process that contributes data -
// own begin, limited by the own end. Processes that receive nothing do not wait; processes that
// contribute nothing are not waited for.
//
//   rank          0   1   2
//   begin         3   9   4     latest = 9
//   end          10  11   8     rank 2 left early: clocks are not perfect
//   wait          6   0   4     min(9, 10) - 3,  9 - 9,  min(9, 8) - 4
[[nodiscard]] constexpr Duration wait_nxn(Ticks begin, Ticks end, Ticks latest_sender_begin) {
  return positive(std::min(latest_sender_begin, end) - begin);
}

}  // namespace latecomer::patterns
