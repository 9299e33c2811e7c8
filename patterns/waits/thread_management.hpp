// SPDX-License-Identifier: BSD-3-Clause
// Management of teams of threads: the way of a thread into its parallel region, and out of it.
#pragma once

#include "patterns/metric/metric.hpp"
#include "patterns/metric/time.hpp"

namespace latecomer::patterns {

// Time from the fork by the master to the thread's entry into the parallel region.
//   fork 1      thread 0 enters 2, thread 1 enters 4        1 and 3
[[nodiscard]] constexpr Duration fork_time(Ticks fork, Ticks region_enter) {
  return positive(region_enter - fork);
}
// Time from the thread's leaving the parallel region to the join by the master.
[[nodiscard]] constexpr Duration join_time(Ticks region_leave, Ticks join) {
  return positive(join - region_leave);
}

[[nodiscard]] Metric omp_management_metric();
[[nodiscard]] Metric omp_fork_metric();

}  // namespace latecomer::patterns
