// SPDX-License-Identifier: BSD-3-Clause
// The impact of the critical path on all processes.
#pragma once

#include <vector>

#include "analyzer/attribution/cause_metrics.hpp"
#include "analyzer/booking/booking.hpp"
#include "analyzer/causes/call_path_times.hpp"
#include "analyzer/causes/sync_points.hpp"
#include "analyzer/causes/wait_graph.hpp"
#include "analyzer/parallel/processes.hpp"

namespace latecomer::replay {

// Limits of the critical path: the last enter of MPI_Init, and the last enter of MPI_Finalize. A
// process that never reached MPI_Finalize counts up to its last event. Without a location in `end`
// no process began MPI.
struct RunLimits {
  trace::Ticks start = 0;
  causes::PathEnd end{trace::kNone, 0, 0};
};
// Collective; the result is the same on every process.
[[nodiscard]] RunLimits run_limits(const Booking& booking, parallel::Processes& processes);

// Books the critical path and the metrics of performance impact. `path` is the whole path, known to
// every process. Source of the formulas: Boehme et al., "Scalable critical-path based performance
// analysis" (IPDPS 2012). Collective.
void book_performance_impact(Booking& booking, const causes::SyncPoints& points,
                             const std::vector<causes::CallPathTimes>& times,
                             const std::vector<causes::PathPart>& path, const CauseMetrics& metrics,
                             parallel::Processes& processes);

}  // namespace latecomer::replay
