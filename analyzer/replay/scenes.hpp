// SPDX-License-Identifier: BSD-3-Clause
// What happened around the worst waits: who was in which call, what was waited, which messages
// went.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/replay/statistics.hpp"
#include "analyzer/replay/timeline.hpp"
#include "patterns/metric.hpp"

namespace latecomer::replay {

// For each of the worst instances of each metric, in their order, an object:
//
//   "from", "to"       seconds: a little before the call that waited until a little behind it
//   "lanes"            locations in the order of ranks: the one that waited, the cause, and of a
//                      collective operation others that took part, at most kLanes, each with
//     "rank", "thread"
//     "calls"          [begin, length, call path, number]: where it was; short ones stand together
//                      at what they have in common, number says how many changes that were
//     "waits"          [begin, length, metric, rank that was waited for or -1]
//   "messages"         [lane that sent, time, lane that received, time, bytes, tag]
//   "cause_call_path"  where the cause was most of the time that was waited for it
//
// Times in lists are nanoseconds since "from". The same on every process and for every number of
// them.
struct ShownScene {
  nlohmann::json beside;  // keys that stand beside "timeline": "cause_call_path", of threads others
  std::string timeline;   // text of the object, as report::Definitions::timelines has it
};
using Scenes = std::vector<std::vector<ShownScene>>;

inline constexpr std::size_t kLanes = 8;

// Collective.
[[nodiscard]] Scenes find_scenes(const TimelineParts& parts,
                                 std::span<const MetricStatistics> statistics,
                                 parallel::Processes& processes);

// Into the JSON of the statistics: what stands beside "timeline" of each instance, which is null.
// Returns the texts for that, in the order in which they stand there.
[[nodiscard]] std::vector<std::string> add_scenes(Scenes scenes,
                                                  std::span<const MetricStatistics> statistics,
                                                  const patterns::MetricTree& metrics,
                                                  nlohmann::json& to);

}  // namespace latecomer::replay
