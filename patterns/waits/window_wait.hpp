// SPDX-License-Identifier: BSD-3-Clause
// Wait at Create, Free and Fence: collective calls on windows that really synchronized.
#pragma once

#include "patterns/metric/time.hpp"

namespace latecomer::patterns {

// MPI does not promise that these calls wait for all processes. They did if no process left before
// the last one had entered. Only then is every process charged the time from its own begin to the
// last begin.
//
//   rank    0   1   2
//   begin   3   9   4     latest 9
//   end    10  11  10     earliest 10, after 9
//   wait    6   0   5
[[nodiscard]] constexpr Duration window_wait(Ticks begin, Ticks latest_begin, Ticks earliest_end) {
  return earliest_end > latest_begin ? positive(latest_begin - begin) : 0;
}

// Early Fence is the part of a wait at a fence before the last transfer to the memory of this
// process returned at its origin.
//
//   fence 2..10, waited until 8; the last put to it was in the call 4..5:   5 - 2 = 3
[[nodiscard]] constexpr Duration early_fence(Ticks begin, Ticks last_transfer, Duration wait) {
  return std::min(positive(last_transfer - begin), wait);
}

}  // namespace latecomer::patterns
