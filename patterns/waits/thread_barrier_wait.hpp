// SPDX-License-Identifier: BSD-3-Clause
// Wait at Barrier of threads: the threads of a team wait until the last one has come.
#pragma once

#include "patterns/metric/time.hpp"

namespace latecomer::patterns {

// The time from a thread's own enter until the last thread of the team enters, at most until its
// own leave. Tasks that the thread executes until then are subtracted.
//
//   enter      1  6  4      leave 7  7  7       tasks 0  0  2
//   wait       6 - 1 = 5,  0,  6 - 4 - 2 = 0
[[nodiscard]] constexpr Duration thread_barrier_wait(Ticks enter, Ticks leave, Ticks last_enter,
                                                     Duration tasks) {
  return positive(std::min(last_enter, leave) - enter - tasks);
}

}  // namespace latecomer::patterns
