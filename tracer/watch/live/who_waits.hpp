// SPDX-License-Identifier: BSD-3-Clause
// Decides from the calls of all ranks for whom they wait right now, and how long so far.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tracer/record/live_state.hpp"
#include "tracer/watch/live/run_comms.hpp"
#include "tracer/watch/wait_sums.hpp"

namespace latecomer::watch {

// A rank and its call, from the words in its file.
struct RankNow {
  Rank rank = 0;
  bool ended = false;          // it makes no more calls
  bool gone = false;           // its process was killed: it makes no more calls, either
  bool waits = false;          // it is in a call that may wait for others
  bool one_is_enough = false;  // of the requests, as in MPI_Waitany
  record::PendingCall call;
  // Collective operations that it has begun, by the id of the communicator on this rank.
  std::vector<std::uint32_t> operations;
  std::optional<Nanoseconds> entered;  // the call, on the clock of all calls; nothing: not known
};

// The call that a rank is in.
struct WaitingRank {
  Rank rank = 0;
  std::string call;
  PathId path = 0;
  Nanoseconds since = -1;       // how long; -1: not known
  std::vector<Rank> waits_for;  // that have not come, ascending
  bool all_came = false;        // no rank has to come any more: data are on their way
  bool one_is_enough = false;   // any of waits_for can free it
  // Wait state of what it waits for; nothing: none of those that are known while the program runs.
  std::optional<WaitKind> kind;
  // The wait so far. It is empty in calls whose waits do not count when they end, either.
  Nanoseconds begin = 0, end = 0;
};

// A rank that others wait for.
struct LateRank {
  enum class Doing : std::uint8_t {
    kOutside,    // it is in no call of MPI that waits: it computes, or has no core
    kTransfers,  // it is in a call to which all have come
    kWaits,      // it waits itself
    kEnded,      // it makes no more calls
    kGone        // its process was killed
  };
  Rank rank = 0;
  std::size_t waited_by = 0;  // ranks
  Nanoseconds longest = -1;   // the longest of their waits so far
  Doing doing = Doing::kOutside;
};

// Ranks that wait for each other.
struct Circle {
  std::vector<Rank> ranks;    // ascending
  Nanoseconds shortest = -1;  // the shortest of their waits so far; -1: not known
};

struct WaitingNow {
  std::optional<Nanoseconds> time;   // now, on the clock of all calls; nothing: not known
  std::vector<WaitingRank> waiting;  // by rank
  std::vector<LateRank> late;  // those that do not wait themselves come first; none of circles
  std::vector<Circle> circles;
};

// Begin of the send of a message that nobody has received yet; nothing: none is known.
using SentAt = std::function<std::optional<Nanoseconds>(CommId, Rank source, Rank destination,
                                                        std::int32_t tag)>;

// A partner of a message has come if it is in a call with the other end, or if it has sent it
// before. `ranks` are ascending. Names and paths are left empty.
[[nodiscard]] WaitingNow who_waits(const RunComms& comms, const std::vector<RankNow>& ranks,
                                   std::optional<Nanoseconds> now, const SentAt& sent_at);

}  // namespace latecomer::watch
