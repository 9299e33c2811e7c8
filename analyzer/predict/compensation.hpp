// SPDX-License-Identifier: BSD-3-Clause
// Takes the overhead of the measurement out of the times of a run.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/match/partition.hpp"
#include "analyzer/overhead/event_costs.hpp"
#include "analyzer/predict/whole_replay.hpp"
#include "analyzer/report/extras/recording_cost.hpp"

namespace latecomer::predict {

// kLocal: each location's own overhead, which its waits then lack or have too much of. kParallel:
// the delay is handed on, too. A wait for another process becomes
//
//   W - (delay of the other one - own delay), at least 0
//
// and that of a collective operation follows the last of those that had to come.
enum class OverheadMethod : std::uint8_t { kNone, kLocal, kParallel };

// How overhead is taken out.
struct OverheadOptions {
  OverheadMethod method = OverheadMethod::kNone;
  std::optional<double> nanoseconds;  // of each enter and leave, instead of what the archive says
};

// Moves all events of `mine`, which are those of the run. Matched messages and waits are wrong then
// and have to be found again. The points of the run must be connected. Threads follow the first
// thread of their process, except those with operations of their own. The same on every process.
// Collective.
[[nodiscard]] report::Compensation compensate(const Run& run, const replay::EventCosts& costs,
                                              OverheadMethod method,
                                              const replay::Partition& partition,
                                              std::vector<trace::LocationEvents>& mine,
                                              parallel::Processes& processes);

}  // namespace latecomer::predict
