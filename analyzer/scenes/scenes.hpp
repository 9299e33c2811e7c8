// SPDX-License-Identifier: BSD-3-Clause
// The surroundings of the worst waits: calls, waits and messages of a few locations.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "analyzer/booking/statistics.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/scenes/timeline.hpp"
#include "patterns/metric/metric.hpp"

namespace latecomer::replay {

// Each of the worst instances of each metric has an object:
//
//   "from", "to"       seconds: from a little before the call that waited to a little after it
//   "lanes"            locations in the order of ranks: the one that waited, the cause, and in a
//                      collective operation other members, at most kLanes, each with
//     "rank", "thread"
//     "calls"          [begin, length, call path, number]: where it was; short calls are merged at
//                      their common call path, and number is the number of changes merged
//     "waits"          [begin, length, metric, rank that was waited for or -1]
//   "messages"         [lane that sent, time, lane that received, time, bytes, tag]
//   "cause_call_path"  call path in which the cause was for most of the time of the wait
//
// Times in lists are nanoseconds since "from". The result is the same on every process and does not
// depend on the number of processes.
struct ShownScene {
  nlohmann::json beside;  // keys beside "timeline": "cause_call_path", and more for threads
  std::string timeline;   // text of the object, as in report::Definitions::timelines
};
using Scenes = std::vector<std::vector<ShownScene>>;

inline constexpr std::size_t kLanes = 8;

// Makes the scenes of all worst instances. Collective.
[[nodiscard]] Scenes find_scenes(const TimelineParts& parts,
                                 std::span<const MetricStatistics> statistics,
                                 parallel::Processes& processes);

// Adds the other keys of each instance to the JSON of the statistics, where "timeline" is null.
// Returns the texts for "timeline" in the order in which they occur there.
[[nodiscard]] std::vector<std::string> add_scenes(Scenes scenes,
                                                  std::span<const MetricStatistics> statistics,
                                                  const patterns::MetricTree& metrics,
                                                  nlohmann::json& to);

}  // namespace latecomer::replay
