// SPDX-License-Identifier: BSD-3-Clause
// The ranks that wait right now: their calls, and for whom they wait.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tracer/watch/live/run_follower.hpp"

namespace latecomer::watch {

// The call that a rank is in.
struct WaitingRank {
  Rank rank = 0;
  std::string call;
  PathId path = 0;
  Nanoseconds since = -1;       // how long; -1: not known
  std::vector<Rank> waits_for;  // ascending; empty: not known
};

// A rank that others wait for and that does not wait itself, or for others.
struct LateRank {
  Rank rank = 0;
  std::size_t waited_by = 0;  // ranks
  Nanoseconds longest = -1;   // the longest of their waits so far
  bool computes = false;      // it is in no call of MPI that waits
};

struct WaitingNow {
  std::vector<WaitingRank> waiting;  // by rank
  std::vector<LateRank> late;        // those that most ranks wait for come first
};

// Reads words in the headers of record files (live_state.hpp). Ranks that are not followed, and
// threads other than the main one, are left out.
[[nodiscard]] WaitingNow waiting_now(RunFollower& run);

}  // namespace latecomer::watch
