// SPDX-License-Identifier: BSD-3-Clause
// The ranks that wait right now: their calls, and for whom they wait.
#pragma once

#include "tracer/watch/live/run_follower.hpp"
#include "tracer/watch/live/who_waits.hpp"
#include "tracer/watch/watcher.hpp"

namespace latecomer::watch {

// The calls of all ranks at one moment.
struct Present {
  std::optional<Nanoseconds> time;  // nothing: not known
  std::vector<RankNow> ranks;
};

// Reads words in the headers of record files (live_state.hpp). Ranks that are not followed, and
// threads other than the main one, are left out. After the end of the run the moment is when the
// last process was there.
[[nodiscard]] Present look_at(const RunFollower& run);

// Call it after poll() has read what was recorded until that moment: messages that were sent before
// are known then. Calls that have been read to their end do not wait any more.
[[nodiscard]] WaitingNow waiting_now(RunFollower& run, const Watcher& watcher, Present present);

}  // namespace latecomer::watch
