// SPDX-License-Identifier: BSD-3-Clause
// Barrier Completion: what a barrier takes after everybody has come.
#pragma once

#include "patterns/metric.hpp"
#include "patterns/time.hpp"

namespace latecomer::patterns {

// Barrier Completion of a process = own end - the later of the latest begin and the earliest end
// over the communicator.
//
//   rank         0   1   2
//   begin        3   9   4     latest begin 9
//   end         10  12  11     earliest end 10
//   completion   0   2   1
[[nodiscard]] constexpr Duration barrier_completion(Ticks end, Ticks latest_begin,
                                                    Ticks earliest_end) {
  return positive(end - std::max(latest_begin, earliest_end));
}

[[nodiscard]] Metric barrier_completion_metric();

}  // namespace latecomer::patterns
