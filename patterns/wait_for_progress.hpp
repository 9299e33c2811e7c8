// SPDX-License-Identifier: BSD-3-Clause
// Wait for Progress: a one-sided call needed the target's MPI, and the target was not in it.
#pragma once

#include "patterns/metric.hpp"
#include "patterns/time.hpp"

namespace latecomer::patterns {

// Without hardware that does it alone, what is asked of a target happens while the target is in
// some MPI call. If it was outside when the call was entered, and the call was still going on when
// it entered MPI, the time until then is waiting: with hardware support the call would have
// returned before. What the call waited for a lock (`waited`) comes first.
//
//   unlock  enter 4, leave 10;  target outside of MPI 2..9:   9 - 4 = 5
[[nodiscard]] constexpr Duration wait_for_progress(Ticks enter, Ticks leave, Ticks target_enters,
                                                   Duration waited) {
  return target_enters < leave ? positive(target_enters - enter - waited) : 0;
}

[[nodiscard]] Metric sync_wait_for_progress_metric();
[[nodiscard]] Metric comm_wait_for_progress_metric();

}  // namespace latecomer::patterns
