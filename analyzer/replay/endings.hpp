// SPDX-License-Identifier: BSD-3-Clause
// The end of a run that did not get to MPI_Finalize everywhere: when it was, and who was where.
#pragma once

#include <vector>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/report/extras.hpp"
#include "analyzer/trace/call_tree.hpp"
#include "analyzer/trace/definitions.hpp"
#include "analyzer/trace/location_events.hpp"

namespace latecomer::replay {

// The last time stamp of all, or where the archive knows that processes lived longer, the end of
// its time line. Collective.
[[nodiscard]] trace::Ticks end_of_run(const trace::Definitions& definitions,
                                      const std::vector<trace::LocationEvents>& mine,
                                      parallel::Processes& processes);

// Whether records of the process could not be stored while it ran.
[[nodiscard]] bool lost_records(const trace::Definitions& definitions, std::uint32_t rank);

// Processes without MPI_Finalize, those in the same place together; `first` is the begin of the
// run. Collective; the same on every process.
[[nodiscard]] std::vector<report::Ending> endings(const trace::Definitions& definitions,
                                                  const trace::GlobalCallTree& tree,
                                                  const std::vector<trace::LocationEvents>& mine,
                                                  trace::Ticks first,
                                                  parallel::Processes& processes);

}  // namespace latecomer::replay
