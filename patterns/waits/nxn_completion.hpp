// SPDX-License-Identifier: BSD-3-Clause
// N x N Completion: the time that an all-to-all operation takes after the first process has left
// it.
#pragma once

#include "patterns/metric/time.hpp"

namespace latecomer::patterns {

// N x N Completion of a process that sends and receives data = own end - max(earliest end of such
// processes, latest begin of contributing processes).
//
//   rank         0   1   2
//   begin        3   9   4     latest begin 9
//   end         12  10  11     earliest end 10
//   completion   2   0   1
[[nodiscard]] constexpr Duration nxn_completion(Ticks end, Ticks latest_sender_begin,
                                                Ticks earliest_end) {
  return positive(end - std::max(latest_sender_begin, earliest_end));
}

}  // namespace latecomer::patterns
