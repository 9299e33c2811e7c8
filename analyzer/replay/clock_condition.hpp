// SPDX-License-Identifier: BSD-3-Clause
// The pairs of events whose times MPI guarantees, taken from a trace: what clocks must agree with.
#pragma once

#include <span>
#include <vector>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/replay/messages.hpp"
#include "analyzer/trace/definitions.hpp"
#include "analyzer/trace/location_events.hpp"
#include "sync/constraints.hpp"
#include "sync/violations.hpp"

namespace latecomer::replay {

// Every pair is on one process of the analysis: messages where their receiver is hosted, collective
// operations at an owner, those on neighborhoods and one-sided epochs as a channel per edge; on
// intercommunicators between the groups, a group of constraints with both as members. Not
// guaranteed, and left out: data of zero bytes (except barriers), Alltoallv and Alltoallw unless
// everybody sends to everybody, as totals do not tell who sends to whom, and operations that not
// all members take part in.
struct ClockCondition {
  std::vector<sync::Channel> channels;  // of messages, then of other pairs
  std::size_t messages = 0;             // number of the first
  std::vector<sync::OperationGroup> groups;
};

// Collective. The instances of `mine` must have been counted.
[[nodiscard]] ClockCondition collect_clock_condition(const trace::Definitions& definitions,
                                                     const std::vector<trace::LocationEvents>& mine,
                                                     const MatchedMessages& messages,
                                                     const Partition& partition,
                                                     parallel::Processes& processes);

// Counts of all processes. Collective. `corrected(process, time)` as for sync::count_violations.
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
