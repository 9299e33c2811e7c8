// SPDX-License-Identifier: BSD-3-Clause
// The surroundings of the worst waits: calls, waits and messages of a few locations.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyzer/booking/statistics.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/report/extras/wait_statistics.hpp"
#include "analyzer/scenes/timeline.hpp"
#include "patterns/metric/metric.hpp"

namespace latecomer::replay {

// What the report says about one of the worst instances of a metric, beside its statistics. The
// lanes of the timeline are the location that waited, the cause, and in a collective operation
// other members, at most kLanes. The result is the same on every process and does not depend on the
// number of processes.
struct ShownScene {
  // Call path in which the cause was for most of the time of the wait.
  std::optional<std::uint32_t> cause_call_path;
  // For waits of threads: the location that waited, and the cause.
  std::optional<std::uint32_t> thread, cause_rank, cause_thread;
  report::Timeline timeline;
};
using Scenes = std::vector<std::vector<ShownScene>>;  // by statistics and instance

inline constexpr std::size_t kLanes = 8;

// Makes the scenes of all worst instances. Collective.
[[nodiscard]] Scenes find_scenes(const TimelineParts& parts,
                                 std::span<const MetricStatistics> statistics,
                                 parallel::Processes& processes);

// Adds the scenes to the instances in the statistics of the report.
void add_scenes(Scenes scenes, std::span<const MetricStatistics> statistics,
                const patterns::MetricTree& metrics, report::AllWaitStatistics& to);

}  // namespace latecomer::replay
