// SPDX-License-Identifier: BSD-3-Clause
// Lock Contention: the lock of a window is held by another process.
#pragma once

#include "patterns/metric.hpp"
#include "patterns/time.hpp"

namespace latecomer::patterns {

// Lock Contention, in the call in which the process was when the one that had the lock before it
// called MPI_Win_unlock. When a lock is granted no MPI library says; until then it cannot have
// been.
//
//   lock 3..9, another one has an exclusive lock and unlocks from 8 on: 8 - 3 = 5
[[nodiscard]] constexpr Duration lock_contention(Ticks enter, Ticks leave, Ticks released) {
  return enter < released && released <= leave ? released - enter : 0;
}

[[nodiscard]] Metric sync_lock_contention_metric();
[[nodiscard]] Metric comm_lock_contention_metric();

}  // namespace latecomer::patterns
