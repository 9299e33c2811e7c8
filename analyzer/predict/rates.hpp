// SPDX-License-Identifier: BSD-3-Clause
// The call paths that changes are about, and how much faster they become on each location.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/attribution/computation/computation_shares.hpp"
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
  trace::Ticks moved = 0;  // work that balance takes from locations above the mean
  // True if samples say how long some of it took; the standard error of `before` in seconds.
  bool sampled = false;
  double error = 0;
};

// The pace by location that brings these times into balance. Those above the mean take the mean.
// Those below it keep their time: they are taken to do the rest of the work where they waited, and
// where in their time that would be is not known. The mean is that of all processes, and of other
// threads that have such time.
[[nodiscard]] std::vector<engine::Pace> balanced(const trace::Definitions& definitions,
                                                 const std::vector<trace::Ticks>& times);

// A pattern means the time outside of MPI in the call paths that it chooses and in those that they
// call. Functions of MPI change only if the last name of the pattern begins with MPI_.
// Changes of one call path are multiplied.
//
// The timeline has the functions that were open between two calls of MPI. What samples found below
// them has no times of its own there. So a function that only samples know makes the open call path
// faster by its share of that call path on the location:
//
//   main 10 s, of which samples give 6 s to main > solve; solve twice as fast    main: 7 / 10
//
// A Problem is the same on every process. Collective.
[[nodiscard]] Result<Rates> find_rates(const replay::Booking& booking,
                                       const replay::ComputationShares& shares,
                                       std::span<const Change> changes, const ChoosePaths& choose,
                                       parallel::Processes& processes);

}  // namespace latecomer::predict
