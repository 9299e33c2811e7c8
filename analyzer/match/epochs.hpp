// SPDX-License-Identifier: BSD-3-Clause
// Matches epochs of one-sided communication with groups between origins and targets.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/match/partition.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/location_events.hpp"
#include "sync/constraints.hpp"

namespace latecomer::replay {

// The n-th access epoch (MPI_Win_start ... MPI_Win_complete) of an origin that names a target
// belongs to the n-th exposure epoch of that target (MPI_Win_post ... MPI_Win_wait) that names the
// origin. Epochs with missing partners are left out. (MPI standard, one-sided communications.)
struct Epochs {
  struct Access {  // epoch of a hosted location
    std::uint32_t location = 0;
    std::uint32_t start = 0, complete = 0;  // indices of window_events
    trace::Ticks last_post = 0;             // enter of the last MPI_Win_post
    std::uint32_t rank = trace::kNone;      // rank that posted last; ties go to the lowest
    std::uint32_t cause_location = trace::kNone, cause_event = 0;  // that post, in window_events
  };
  // An exposure epoch of a hosted location; members as in Access.
  struct Exposure {
    std::uint32_t location = 0;
    std::uint32_t post = 0, wait = 0;  // indices of window_events
    trace::Ticks last_complete = 0;    // enter of the last MPI_Win_complete
    std::uint32_t rank = trace::kNone;
    std::uint32_t cause_location = trace::kNone, cause_event = 0;
    trace::Ticks last_transfer = INT64_MIN;  // leave of the last transfer to this target
    std::uint32_t origins = 0;               // members of the group that made a transfer
  };
  // An epoch of a hosted location whose partner was not recorded; it is in neither of the lists.
  struct Edge {
    std::uint32_t location = 0;
  };
  std::vector<Edge> edges;
  std::vector<Access> accesses;
  std::vector<Exposure> exposures;
  // No process leaves MPI_Win_wait before MPI_Win_complete was called. These pairs came to this
  // process.
  std::vector<sync::Channel> pairs;
};

// Matches all epochs of the trace. Collective.
[[nodiscard]] Epochs match_epochs(const trace::Definitions& definitions, const Partition& partition,
                                  const std::vector<trace::LocationEvents>& mine,
                                  parallel::Processes& processes);

}  // namespace latecomer::replay
