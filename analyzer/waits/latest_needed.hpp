// SPDX-License-Identifier: BSD-3-Clause
// The last process that a participant needs, in operations in which each needs others of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/match/collectives.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::replay {

// A participation of a hosted location in a prefix or neighborhood operation.
struct Participation {
  std::size_t location = 0;
  const trace::Collective* own = nullptr;
};

// The rank of `latest` is kNone if the participant needs no other process.
using OnLatestNeeded =
    std::function<void(const Participation& mine, const CollectiveSummary::Who& latest)>;

// Finds the latest begin for each participation: in prefix operations among the processes up to
// itself, in neighborhood operations among those that it gets data from. Ties go to the first
// member of the communicator. The callback is called in no particular order. Collective.
void find_latest_needed(const trace::Definitions& definitions,
                        const std::vector<trace::LocationEvents>& mine,
                        const std::vector<Participation>& participations,
                        parallel::Processes& processes, const OnLatestNeeded& on_latest);

}  // namespace latecomer::replay
