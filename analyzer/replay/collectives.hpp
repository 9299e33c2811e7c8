// SPDX-License-Identifier: BSD-3-Clause
// Brings the participants of each collective operation together.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/replay/messages.hpp"
#include "analyzer/trace/definitions.hpp"
#include "analyzer/trace/location_events.hpp"

namespace latecomer::replay {

// What all participants of one operation have to know of each other. Partial ones are merged; the
// result does not depend on the order of merging (ties go to the lowest rank).
struct CollectiveSummary {
  static constexpr trace::Ticks kNever = INT64_MIN;

  std::uint32_t comm = 0, instance = 0;
  std::uint32_t participants = 0;
  std::uint8_t operation = 0;
  bool consistent = true;    // all name the same operation
  bool all_positive = true;  // all send something to everybody (CollectiveKind)
  // Earliest begin of all. Latest begins: of all, of those that contribute data, of those but the
  // root; earliest begin of the latter. Each with the world rank, the location and its call.
  struct Who {
    trace::Ticks time = kNever;
    std::uint32_t rank = trace::kNone;
    std::uint32_t location = trace::kNone;
    std::uint32_t call = trace::kNone;
  };
  Who earliest, latest, latest_sender, latest_other_sender, earliest_other_sender;
  Who root;                                     // of the operation
  trace::Ticks earliest_end = kNever;           // of all
  trace::Ticks earliest_exchange_end = kNever;  // of those that contribute and get data

  // One participant.
  void add(std::uint32_t world_rank, std::uint32_t location, const trace::CollectiveKind& kind,
           const trace::Collective& own, bool is_root);
  void merge(const CollectiveSummary& other);
};

using OnCollective = std::function<void(std::size_t location, const trace::Collective& own,
                                        const CollectiveSummary& all)>;

// Numbers the participations of `mine` per communicator, in the order of starting; those that were
// not recorded count, those on communicators of others get no number (kNone). Returns, per
// communicator of which some process did not record all, how many all of its processes have
// counted: before that an operation that not all of them recorded is one at an edge of recording.
// Collective.
using CountedByAll = std::vector<std::uint32_t>;  // per communicator; 0: everything was recorded
CountedByAll count_instances(const trace::Definitions& definitions,
                             std::vector<trace::LocationEvents>& mine,
                             parallel::Processes& processes);

// Lets the participants of each operation of `mine`, with counted instances, meet at an owner
// process in rounds of bounded size, and calls `on_collective` for every participation in a
// complete operation. Returns the others: some process of the communicator is missing, they name
// different operations, or the process is no member of the communicator. Operations on
// communicators of one process have nobody to wait for and are left out of both. Collective.
struct UnmatchedCollectives {
  std::vector<Unmatched> calls;
  std::vector<Unmatched> at_edges;  // left out as well: others did not record
};
[[nodiscard]] UnmatchedCollectives match_collectives(const trace::Definitions& definitions,
                                                     const std::vector<trace::LocationEvents>& mine,
                                                     const CountedByAll& counted,
                                                     parallel::Processes& processes,
                                                     const OnCollective& on_collective);

}  // namespace latecomer::replay
