// SPDX-License-Identifier: BSD-3-Clause
// Barrier Completion: the time that a barrier takes after all processes have arrived.
#pragma once

#include "patterns/metric/time.hpp"

namespace latecomer::patterns {

// Barrier Completion of a process = own end - max(latest begin, earliest end) over the
// communicator.
//
//   rank         0   1   2
//   begin        3   9   4     latest begin 9
//   end         10  12  11     earliest end 10
//   completion   0   2   1
[[nodiscard]] constexpr Duration barrier_completion(Ticks end, Ticks latest_begin,
                                                    Ticks earliest_end) {
  return positive(end - std::max(latest_begin, earliest_end));
}

}  // namespace latecomer::patterns
