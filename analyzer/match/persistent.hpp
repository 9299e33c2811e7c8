// SPDX-License-Identifier: BSD-3-Clause
// Persistent collective operations that are not started in the same order on all processes.
#pragma once

#include <vector>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::replay {

// Instances of a communicator are numbered in the order of starting. Persistent operations are
// matched by the order of their initialization and may be started in any order (MPI 4.0, 6.13):
//
//   rank 0   start A   start B        rank 1   start B   start A
//
// Where the orders differ, each persistent operation gets a communicator of its own with the same
// members. Call it before count_instances(). Collective.
void separate_persistent(trace::Definitions& definitions, std::vector<trace::LocationEvents>& mine,
                         parallel::Processes& processes);

}  // namespace latecomer::replay
