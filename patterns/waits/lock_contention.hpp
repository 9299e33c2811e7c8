// SPDX-License-Identifier: BSD-3-Clause
// Lock Contention: another process holds the lock of the window.
#pragma once

#include "patterns/metric/time.hpp"

namespace latecomer::patterns {

// Lock Contention counts in the call in which the process was when the previous holder of the lock
// called MPI_Win_unlock. No MPI library reports when it grants a lock, but that cannot be earlier.
//
//   lock 3..9, another one has an exclusive lock and unlocks from 8 on: 8 - 3 = 5
[[nodiscard]] constexpr Duration lock_contention(Ticks enter, Ticks leave, Ticks released) {
  return enter < released && released <= leave ? released - enter : 0;
}

}  // namespace latecomer::patterns
