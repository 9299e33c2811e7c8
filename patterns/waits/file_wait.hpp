// SPDX-License-Identifier: BSD-3-Clause
// Wait at Collective File I/O and at File Management, in calls that really synchronized.
#pragma once

#include "patterns/metric/time.hpp"

namespace latecomer::patterns {

// MPI does not promise that a collective call on a file waits for all processes. It did if no
// process left before the last one had entered. Only then is every process charged the time from
// its own enter to the last enter.
//
//   rank    0   1   2
//   enter   3   9   4     latest 9
//   leave  10  11  10     earliest 10, after 9
//   wait    6   0   5
[[nodiscard]] constexpr Duration file_wait(Ticks enter, Ticks latest_enter, Ticks earliest_leave) {
  return earliest_leave > latest_enter ? positive(latest_enter - enter) : 0;
}

}  // namespace latecomer::patterns
