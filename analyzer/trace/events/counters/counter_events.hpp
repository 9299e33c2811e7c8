// SPDX-License-Identifier: BSD-3-Clause
// The data kept of the counters of one location.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/trace/events/core/region_events.hpp"

namespace latecomer::trace {

// The amount that one metric counted while one region was innermost.
struct Counted {
  std::uint32_t node = 0;    // node of the process's CallTree
  std::uint32_t metric = 0;  // index in Definitions::counters
  std::int64_t value = 0;    // in its unit; ticks for seconds
};

// Counters whose values are also kept one by one, since waits are explained by them.
enum class StretchCounter : std::uint8_t {
  kNone,
  kPreempted,
  kBlocked,
  kInstructions,
  kPageFaults
};

// The amount that such a counter counted since its previous value, if that is not 0.
struct CountedStretch {
  Ticks time = 0;  // of the value
  std::uint32_t node = 0;
  StretchCounter counter = StretchCounter::kNone;
  std::int64_t value = 0;  // ticks for seconds; at least 0
};

struct CounterEvents {
  std::vector<Counted> counted;           // in the order of their first events
  std::vector<CountedStretch> stretches;  // in the order of time
};

}  // namespace latecomer::trace
