// SPDX-License-Identifier: BSD-3-Clause
// Early Reduce: the root of an N-to-1 operation enters before any other process has data for it.
#pragma once

#include "patterns/metric/time.hpp"

namespace latecomer::patterns {

// Early Reduce of the root of MPI_Reduce, MPI_Gather, ... = earliest begin of the other processes
// that contribute data - own begin, limited by the own end. The earliest begin counts because the
// root has something to do from then on.
//
//   rank    0 (root)   1   2
//   begin   2          7   5     earliest sender 5
//   end     9
//   wait    3
[[nodiscard]] constexpr Duration early_reduce(Ticks begin, Ticks end, Ticks earliest_sender_begin) {
  return positive(std::min(earliest_sender_begin, end) - begin);
}

}  // namespace latecomer::patterns
