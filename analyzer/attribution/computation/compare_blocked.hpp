// SPDX-License-Identifier: BSD-3-Clause
// Compares the calls in which those that made others wait were blocked with the same calls
// elsewhere.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/booking/booking.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/report/extras/computation.hpp"

namespace latecomer::replay {

// A call path of the global call tree, on one location, and the number of other locations that
// compute there.
struct ComparedPath {
  std::uint32_t call_path = 0, location = 0;
  double others = 1;
};

// For each path the calls in which its location was blocked longer than the others on average:
//
//   call              rank 0   rank 1   rank 2   mean of others   longer
//   usleep, a.c:10       4.0      1.0      0.6              0.8      3.2
//   recv, net.c:33       0.2      0.3      0.1              0.2      0.0
//
// The largest come first, at most LongerComputation::kMostBlocked. The same on every process.
// Collective.
[[nodiscard]] std::vector<std::vector<report::LongerComputation::Blocked>> compare_blocked(
    const Booking& booking, std::span<const ComparedPath> paths, parallel::Processes& processes);

}  // namespace latecomer::replay
