// SPDX-License-Identifier: BSD-3-Clause
// The data kept of the counters of one location.
#pragma once

#include <cstdint>
#include <vector>

namespace latecomer::trace {

// The amount that one metric counted while one region was innermost.
struct Counted {
  std::uint32_t node = 0;    // node of the process's CallTree
  std::uint32_t metric = 0;  // index in Definitions::counters
  std::int64_t value = 0;    // in its unit; ticks for seconds
};

struct CounterEvents {
  std::vector<Counted> counted;  // in the order of their first events
};

}  // namespace latecomer::trace
