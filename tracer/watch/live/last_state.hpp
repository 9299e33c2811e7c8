// SPDX-License-Identifier: BSD-3-Clause
// Places of ranks that have not left MPI_Finalize: now, or when their processes ended.
#pragma once

#include <optional>
#include <vector>

#include "tracer/watch/live/run_follower.hpp"
#include "tracer/watch/live/who_waits.hpp"
#include "tracer/watch/watcher.hpp"

namespace latecomer::watch {

struct UnfinishedRank {
  enum class State : std::uint8_t {
    kInCall,   // in a call of MPI that has not returned
    kOutside,  // in none
    kExited,   // the program has ended without MPI_Finalize
    kAborted,  // it has called MPI_Abort
    kUnknown   // nothing was recorded
  };
  Rank rank = 0;
  State state = State::kUnknown;
  bool gone = false;  // its process was killed
  bool in_call = false;
  PathId path = 0;  // of the call
  patterns::CallKind kind = patterns::CallKind::kOther;
  Nanoseconds from = 0;      // begin of the call; without one the end of the last one
  Nanoseconds end = 0;       // now, or when the process was there last
  std::optional<Wait> wait;  // in that call
};

// Ranks that have called MPI_Init and have not left MPI_Finalize. `now`: who waits at the end.
[[nodiscard]] std::vector<UnfinishedRank> unfinished_ranks(RunFollower& run, const Watcher& watcher,
                                                           const WaitingNow& now);

// Counts their open calls, and the waits in them.
void add_unfinished(WaitSums& sums, const std::vector<UnfinishedRank>& ranks);

}  // namespace latecomer::watch
