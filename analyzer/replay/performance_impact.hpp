// SPDX-License-Identifier: BSD-3-Clause
// What the critical path means for all processes.
#pragma once

#include <vector>

#include "analyzer/causes/call_path_times.hpp"
#include "analyzer/causes/sync_points.hpp"
#include "analyzer/causes/wait_graph.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/replay/booking.hpp"
#include "analyzer/replay/cause_metrics.hpp"

namespace latecomer::replay {

// The critical path lies between the last entry of MPI_Init and the last of MPI_Finalize. A process
// that never got to MPI_Finalize counts up to its last event. No location: nobody began MPI.
struct RunLimits {
  trace::Ticks start = 0;
  causes::PathEnd end{trace::kNone, 0, 0};
};
// Collective; the same on every process.
[[nodiscard]] RunLimits run_limits(const Booking& booking, parallel::Processes& processes);

// Books the critical path and the metrics of performance impact. `path` is the whole one, known to
// every process. Source of the formulas: wait-states.md, 1.12. Collective.
void book_performance_impact(Booking& booking, const causes::SyncPoints& points,
                             const std::vector<causes::CallPathTimes>& times,
                             const std::vector<causes::PathPart>& path, const CauseMetrics& metrics,
                             parallel::Processes& processes);

}  // namespace latecomer::replay
