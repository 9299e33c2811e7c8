// SPDX-License-Identifier: BSD-3-Clause
// Waits of POSIX threads for something that another thread does: it signals, posts, unlocks, ends.
#pragma once

#include "patterns/metric/time.hpp"

namespace latecomer::patterns {

// The time from entering the call until the other thread acts, at most until the call ends.
//
//   enter 2, leave 6      signal 5      wait = min(5, 6) - 2 = 3
[[nodiscard]] constexpr Duration thread_wake_up(Ticks enter, Ticks leave, Ticks event) {
  return positive(std::min(event, leave) - enter);
}

}  // namespace latecomer::patterns
