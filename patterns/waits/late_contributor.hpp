// SPDX-License-Identifier: BSD-3-Clause
// Late Contributor: the root of an N-to-1 operation has the first data, but not yet the last.
#pragma once

#include "patterns/metric/time.hpp"

namespace latecomer::patterns {

// Late Contributor of the root of MPI_Reduce, MPI_Gather, ... = latest begin of the other processes
// that contribute data - the earliest of them, as far as it lies between the own begin and the own
// end. It begins where Early Reduce ends.
//
//   rank    0 (root)   1   2
//   begin   2          7   5     senders 5 to 7
//   end     9
//   wait    2
[[nodiscard]] constexpr Duration late_contributor(Ticks begin, Ticks end,
                                                  Ticks earliest_sender_begin,
                                                  Ticks latest_sender_begin) {
  return positive(std::min(latest_sender_begin, end) - std::max(earliest_sender_begin, begin));
}

}  // namespace latecomer::patterns
