// SPDX-License-Identifier: BSD-3-Clause
// The clock condition of a trace: pairs of events whose order MPI guarantees.
#pragma once

#include <span>
#include <vector>

#include "analyzer/match/messages.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/location_events.hpp"
#include "sync/constraints.hpp"
#include "sync/violations.hpp"

namespace latecomer::replay {

// Every pair is on one process of the analysis. Messages are where their receiver is hosted, and
// collective operations at an owner. Neighborhood operations and one-sided epochs form a channel
// per edge. An operation on an intercommunicator is a group with the members of both sides.
//
// Pairs that MPI does not guarantee are left out: data of zero bytes (except in barriers), and
// operations that some member does not take part in. Alltoallv and Alltoallw count only if all
// processes send to all, since the total sizes do not show who sends to whom.
struct ClockCondition {
  std::vector<sync::Channel> channels;  // channels of messages, then channels of other pairs
  std::size_t messages = 0;             // number of channels of messages
  std::vector<sync::OperationGroup> groups;
};

// Collective. The instances of `mine` must have been counted.
[[nodiscard]] ClockCondition collect_clock_condition(const trace::Definitions& definitions,
                                                     const std::vector<trace::LocationEvents>& mine,
                                                     const MatchedMessages& messages,
                                                     const Partition& partition,
                                                     parallel::Processes& processes);

// Sums the violations of all processes. Collective. `corrected(process, time)` as for
// sync::count_violations.
template <typename Corrected>
sync::Violations count_violations(const ClockCondition& condition, const sync::Topology& topology,
                                  std::size_t metahosts, parallel::Processes& processes,
                                  Corrected&& corrected) {
  const std::span channels(condition.channels);
  auto found = sync::count_violations(topology, metahosts, channels.first(condition.messages),
                                      condition.groups, corrected);
  found.add_as_collectives(sync::count_violations(
      topology, metahosts, channels.subspan(condition.messages), {}, corrected));
  static_assert(sizeof(sync::ViolationCounts) == 4 * sizeof(std::int64_t));
  processes.sum(std::span(&found.pairs[0].messages, 4 * found.pairs.size()));
  found.largest = processes.max(found.largest);
  found.sum = processes.sum(found.sum);
  return found;
}

}  // namespace latecomer::replay
