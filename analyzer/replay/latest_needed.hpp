// SPDX-License-Identifier: BSD-3-Clause
// The last of those that a process needs, in operations in which everybody needs others.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/replay/collectives.hpp"
#include "analyzer/trace/definitions.hpp"
#include "analyzer/trace/location_events.hpp"

namespace latecomer::replay {

// A participation of a hosted location in a prefix or neighborhood operation.
struct Participation {
  std::size_t location = 0;
  const trace::Collective* own = nullptr;
};

// kNone as rank: nobody.
using OnLatestNeeded =
    std::function<void(const Participation& mine, const CollectiveSummary::Who& latest)>;

// For each participation the latest begin: in prefix operations of the processes up to itself, in
// neighborhood operations of those that it gets data from. Ties go to the first of them in the
// communicator. Calls come in no particular order. Collective.
void find_latest_needed(const trace::Definitions& definitions,
                        const std::vector<trace::LocationEvents>& mine,
                        const std::vector<Participation>& participations,
                        parallel::Processes& processes, const OnLatestNeeded& on_latest);

}  // namespace latecomer::replay
