// SPDX-License-Identifier: BSD-3-Clause
// Early Scan: a process is in a prefix operation before all lower ranks have entered it.
#pragma once

#include "patterns/metric/time.hpp"

namespace latecomer::patterns {

// Early Scan of a process in MPI_Scan or MPI_Exscan = latest begin of the ranks up to its own - own
// begin, limited by the own end.
//
//   rank     0   1   2
//   begin    4   2   6     latest so far 4, 4, 6
//   wait     0   2   0
[[nodiscard]] constexpr Duration early_scan(Ticks begin, Ticks end, Ticks latest_begin_so_far) {
  return positive(std::min(latest_begin_so_far, end) - begin);
}

}  // namespace latecomer::patterns
