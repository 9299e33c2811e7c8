// SPDX-License-Identifier: BSD-3-Clause
// The call paths that changes are about, and how much faster they become on each location.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/booking/booking.hpp"
#include "analyzer/engine/durations.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/predict/change.hpp"
#include "archive/result.hpp"

namespace latecomer::predict {

// Nodes of the global call tree that fit a pattern, and these with all that they call.
struct ChosenPaths {
  std::vector<bool> fitting, with_callees;
};
using ChoosePaths = std::function<Result<ChosenPaths>(const std::string& pattern)>;

// The rates of a set of changes; the same on every process.
struct Rates {
  std::vector<std::uint32_t> of_node;  // by node of the global tree; kNone: as recorded
  engine::Durations durations;
  bool shares = false;  // durations are divided into latency and the rest
  std::optional<std::uint64_t> eager_limit;
  // The computation that changes: its time before and after, and where it is.
  trace::Ticks before = 0, after = 0;
  std::uint64_t call_paths = 0, locations = 0;
};

// A pattern means the time outside of MPI in the call paths that it chooses and in those that they
// call. Only call paths whose function of MPI is named itself change that function's own time.
// Changes of one call path are multiplied. A Problem is the same on every process. Collective.
[[nodiscard]] Result<Rates> find_rates(const replay::Booking& booking,
                                       std::span<const Change> changes, const ChoosePaths& choose,
                                       parallel::Processes& processes);

}  // namespace latecomer::predict
