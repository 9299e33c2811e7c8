// SPDX-License-Identifier: BSD-3-Clause
// Late Post: an access epoch is delayed until the last target has opened its window.
#pragma once

#include "patterns/metric/time.hpp"

namespace latecomer::patterns {

// Late Post counts in the call in which the process was when the last process of its group posted.
// It is unknown in which of MPI_Win_start, the transfers and MPI_Win_complete the MPI library
// waits.
//
//   start 1..2, put 2..3, complete 4..9, the last post begins at 7: at complete 7 - 4 = 3
[[nodiscard]] constexpr Duration late_post(Ticks enter, Ticks leave, Ticks last_post) {
  return enter < last_post && last_post <= leave ? last_post - enter : 0;
}

}  // namespace latecomer::patterns
