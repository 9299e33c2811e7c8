// SPDX-License-Identifier: BSD-3-Clause
// Wait at Barrier of threads: those of a team wait until the last one has come.
#pragma once

#include "patterns/metric.hpp"
#include "patterns/time.hpp"

namespace latecomer::patterns {

// From its own entry until the last thread of the team enters, without the tasks that the thread
// executes meanwhile; at most until it leaves.
//
//   enter      1  6  4      leave 7  7  7       tasks 0  0  2
//   wait       6 - 1 = 5,  0,  6 - 4 - 2 = 0
[[nodiscard]] constexpr Duration thread_barrier_wait(Ticks enter, Ticks leave, Ticks last_enter,
                                                     Duration tasks) {
  return positive(std::min(last_enter, leave) - enter - tasks);
}

[[nodiscard]] Metric omp_ebarrier_wait_metric();
[[nodiscard]] Metric omp_ibarrier_wait_metric();

}  // namespace latecomer::patterns
