// SPDX-License-Identifier: BSD-3-Clause
// Matches the participants of each collective operation.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/match/messages.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::replay {

// All that the participants of one operation have to know of each other. Partial summaries are
// merged. The result does not depend on the order of merging: ties go to the lowest rank.
struct CollectiveSummary {
  static constexpr trace::Ticks kNever = INT64_MIN;

  std::uint32_t comm = 0, instance = 0;
  std::uint32_t participants = 0;
  std::uint8_t operation = 0;
  bool consistent = true;    // all name the same operation
  bool all_positive = true;  // all send something to all processes (CollectiveKind)
  // Begins of participants, each with world rank, location and call. `earliest`, `latest`: of all.
  // `latest_sender`: of those that contribute data. `*_other_sender`: of these without the root.
  struct Who {
    trace::Ticks time = kNever;
    std::uint32_t rank = trace::kNone;
    std::uint32_t location = trace::kNone;
    std::uint32_t call = trace::kNone;
  };
  Who earliest, latest, latest_sender, latest_other_sender, earliest_other_sender;
  Who root;                                     // begin of the operation's root
  trace::Ticks earliest_end = kNever;           // earliest end of all
  trace::Ticks earliest_exchange_end = kNever;  // end of those that contribute and get data

  // Adds one participant.
  void add(std::uint32_t world_rank, std::uint32_t location, const trace::CollectiveKind& kind,
           const trace::Collective& own, bool is_root);
  void merge(const CollectiveSummary& other);
};

using OnCollective = std::function<void(std::size_t location, const trace::Collective& own,
                                        const CollectiveSummary& all)>;

// Numbers the participations of `mine` per communicator, in the order of starting. Participations
// that were not recorded count, too. On communicators without this process the number is kNone.
//
// Returns a number per communicator of which some process did not record all operations: the
// smallest count of all its processes. An operation with a lower number that some process lacks was
// at an edge of recording. Collective.
using CountedByAll = std::vector<std::uint32_t>;  // per communicator; 0: everything was recorded
CountedByAll count_instances(const trace::Definitions& definitions,
                             std::vector<trace::LocationEvents>& mine,
                             parallel::Processes& processes);

// Matches the operations of `mine`, whose instances must have been counted. Participants meet at an
// owner process in rounds of bounded size. Calls `on_collective` for every participation in a
// complete operation. Returns the others: a process of the communicator is missing, participants
// name different operations, or the process is no member of the communicator. Operations on
// communicators of one process are ignored, since there is no other process to wait for.
// Collective.
struct UnmatchedCollectives {
  std::vector<Unmatched> calls;
  std::vector<Unmatched> at_edges;  // left out as well, because other processes did not record them
};
[[nodiscard]] UnmatchedCollectives match_collectives(const trace::Definitions& definitions,
                                                     const std::vector<trace::LocationEvents>& mine,
                                                     const CountedByAll& counted,
                                                     parallel::Processes& processes,
                                                     const OnCollective& on_collective);

}  // namespace latecomer::replay
