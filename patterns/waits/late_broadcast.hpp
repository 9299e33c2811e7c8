// SPDX-License-Identifier: BSD-3-Clause
// Late Broadcast: processes are in a 1-to-N operation before its root has entered it.
#pragma once

#include "patterns/metric/time.hpp"

namespace latecomer::patterns {

// Late Broadcast of a process that receives data in MPI_Bcast, MPI_Scatter, ... = begin of the root
// - own begin, limited by the own end.
//
//   rank    0 (root)   1   2
//   begin   8          3   9
//   end    10         11  12
//   wait    -          5   0
[[nodiscard]] constexpr Duration late_broadcast(Ticks begin, Ticks end, Ticks root_begin) {
  return positive(std::min(root_begin, end) - begin);
}

}  // namespace latecomer::patterns
