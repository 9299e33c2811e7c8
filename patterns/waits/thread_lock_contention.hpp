// SPDX-License-Identifier: BSD-3-Clause
// Lock Contention of threads: another thread holds the lock.
#pragma once

#include "patterns/metric/time.hpp"

namespace latecomer::patterns {

// The time from entering the call until the previous holder releases the lock, at most until the
// lock is acquired.
//
//   released 5     enter 2, acquired 6      wait = min(5, 6) - 2 = 3
[[nodiscard]] constexpr Duration thread_lock_contention(Ticks enter, Ticks acquired,
                                                        Ticks released) {
  return positive(std::min(released, acquired) - enter);
}

}  // namespace latecomer::patterns
