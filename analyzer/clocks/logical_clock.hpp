// SPDX-License-Identifier: BSD-3-Clause
// The controlled logical clock over all processes of the analysis.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analyzer/clocks/clock_condition.hpp"
#include "analyzer/match/partition.hpp"
#include "analyzer/parallel/processes.hpp"
#include "sync/constraints.hpp"
#include "sync/time_map.hpp"

namespace latecomer::replay {

// The result: functions from given to corrected times, and how much they change.
struct LogicalClock {
  std::vector<sync::TimeMap> maps;  // one per traced process; the same on all analysis processes
  sync::Decay decay = 0;            // 1 / (1 - gamma)
  sync::Ticks largest_jump = 0;     // largest jump of a receive
  std::int64_t jumps = 0;           // receives that were too early
  bool avalanche = false;           // shifts grew beyond the largest jump even with the last gamma
  bool contradiction = false;       // some constraints cannot be fulfilled by any times
};

// Finds the least shifts with which no message of `condition` arrives early, and smooths the times
// before their jumps. `starts`: time of the first event of each hosted process. `too_early`: sum of
// all violations, which bounds the shift of any event. Collective.
[[nodiscard]] LogicalClock find_logical_clock(const ClockCondition& condition,
                                              const sync::Topology& topology,
                                              const Partition& partition,
                                              const std::map<std::uint32_t, sync::Ticks>& starts,
                                              sync::Ticks too_early,
                                              parallel::Processes& processes);

}  // namespace latecomer::replay
