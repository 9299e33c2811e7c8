// SPDX-License-Identifier: BSD-3-Clause
// The end of a run in which some process did not reach MPI_Finalize: its time and its places.
#pragma once

#include <vector>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/report/extras/extras.hpp"
#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/core/call_tree.hpp"
#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::replay {

// The last time stamp of all locations. If the archive knows that processes lived longer, the end
// of its time line. Collective.
[[nodiscard]] trace::Ticks end_of_run(const trace::Definitions& definitions,
                                      const std::vector<trace::LocationEvents>& mine,
                                      parallel::Processes& processes);

// True if records of the process could not be stored while it ran.
[[nodiscard]] bool lost_records(const trace::Definitions& definitions, std::uint32_t rank);

// Processes without MPI_Finalize, grouped by place. `first` is the begin of the run. Collective;
// the same on every process.
[[nodiscard]] std::vector<report::Ending> endings(const trace::Definitions& definitions,
                                                  const trace::GlobalCallTree& tree,
                                                  const std::vector<trace::LocationEvents>& mine,
                                                  trace::Ticks first,
                                                  parallel::Processes& processes);

}  // namespace latecomer::replay
