// SPDX-License-Identifier: BSD-3-Clause
// Wait for Progress: a one-sided call needs the target's MPI library, and the target is outside
// MPI.
#pragma once

#include "patterns/metric/time.hpp"

namespace latecomer::patterns {

// A one-sided operation without hardware support progresses only while the target is in some MPI
// call. The time until the target enters MPI is waiting if the target was outside MPI when the call
// was entered. The call must still be going on then. With hardware support the call would have
// returned before. Waiting for a lock in this call (`waited`) is subtracted.
//
//   unlock  enter 4, leave 10;  target outside of MPI 2..9:   9 - 4 = 5
[[nodiscard]] constexpr Duration wait_for_progress(Ticks enter, Ticks leave, Ticks target_enters,
                                                   Duration waited) {
  return target_enters < leave ? positive(target_enters - enter - waited) : 0;
}

}  // namespace latecomer::patterns
