// SPDX-License-Identifier: BSD-3-Clause
// The state of a run at one moment, with names: for people and for programs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tracer/watch/live/last_state.hpp"
#include "tracer/watch/live/run_follower.hpp"
#include "tracer/watch/live/waiting_now.hpp"
#include "tracer/watch/view/last_seconds.hpp"
#include "tracer/watch/watcher.hpp"

namespace latecomer::watch {

struct WatchReport {
  static constexpr Nanoseconds kNotKnown = LastSeconds::kNotKnown;
  // A view that is further behind the records says so.
  static constexpr Nanoseconds kMostBehind = RecentTime::kSlice;

  struct OfRank {
    Rank rank = 0;
    std::string node;
    std::array<Sum, kWaitKinds> waits{};
    Nanoseconds waiting = 0, caused = 0, mpi = 0, begin_end = 0, run = 0;
    // Records were lost: waits are known, and counted, for a time from the first call on only.
    bool lost = false;
    Nanoseconds known = 0;   // that time; without loss the whole run
    Nanoseconds unseen = 0;  // between the calls before and after losses; not in `run`
    // These include the wait so far in the call that it is in.
    Nanoseconds recent_waiting = 0, recent_mpi = 0;
    // Time since the begin of the call in which it waits; 0: it is in none.
    std::optional<Nanoseconds> waiting_now = 0;
    // Waiting per slice of the last time, oldest first; kNotKnown: not known.
    std::vector<Nanoseconds> slices;
    // False: nothing is known of its waits.
    [[nodiscard]] bool has_known() const { return !lost || known > 0; }
  };
  struct OfPath {
    WaitKind kind = WaitKind::kBarrier;
    PathText path;
    Sum all;
    std::vector<std::pair<Rank, Sum>> ranks;   // that waited, ascending
    std::vector<std::pair<Rank, Sum>> causes;  // that were waited for, the longest first
  };
  struct OfCalls {
    PathText path;
    std::vector<std::pair<Rank, Sum>> ranks;  // ascending
  };
  struct OfNodes {
    WaitKind kind = WaitKind::kBarrier;
    std::string waiting, waited_for;
    Sum sum;
  };
  struct OfSite {
    std::string communicator, operation;
    PathText path;
    CollectiveStatistics statistics;
    Nanoseconds early = 0;  // sum of the times that ranks came before the last one
    std::string id;         // of communicator and call site, on all hosts
  };
  struct NotWatched {
    Rank rank = 0;
    std::string why;
  };
  // A rank that has not left MPI_Finalize. If the run has ended, its open call and the wait in it
  // are in all sums; otherwise in none.
  struct Unfinished {
    Rank rank = 0;
    UnfinishedRank::State state = UnfinishedRank::State::kUnknown;
    bool gone = false;
    PathText path;           // of the call that it is in
    Nanoseconds from = 0;    // since the begin of the run: begin of that call, or end of the last
    Nanoseconds length = 0;  // from then until now, or until its process was there last
    Nanoseconds beyond = 0;  // from the end of its last call until then
    std::optional<WaitKind> kind;  // of the wait in the call
    Nanoseconds waiting = 0;
    std::optional<Rank> cause;
  };
  struct Waiting {
    WaitingRank rank;
    PathText path;
  };

  std::string experiment, program;
  bool ended = false;
  std::optional<Nanoseconds> agent_age;  // the statistics are those of the agent, so old
  std::uint32_t size = 0;                // ranks of the run
  std::vector<std::string> nodes;
  std::vector<NotWatched> not_watched;
  std::optional<RunFollower::SharedCores> shared_cores;
  // Only the ranks of this host: others add theirs. Waits for ranks of other hosts are here.
  bool is_part = false;
  std::vector<std::pair<Rank, Nanoseconds>> caused_elsewhere;
  Nanoseconds run = 0;  // from the first to the last call; to the end of the run if it has ended
  Nanoseconds begin = INT64_MAX;  // first call, on the clock of all calls; not in JSON
  Nanoseconds until = 0;          // from the first call until now, or until the end of the run
  // Length of the last seconds. They end now, or if this is not known with the last call.
  Nanoseconds recent = 0;
  std::vector<OfRank> ranks;
  std::vector<OfPath> paths;           // largest first
  std::vector<OfCalls> calls;          // all calls of MPI, by the text of their call path
  std::vector<OfNodes> node_pairs;     // largest first
  std::vector<OfSite> sites;           // most early time first
  std::vector<Unfinished> unfinished;  // by rank
  std::vector<Waiting> waiting;
  std::vector<LateRank> late;
  std::vector<Circle> circles;
  // Age of the records up to which all was read; nothing: not known.
  std::optional<Nanoseconds> behind = 0;
  CollectiveCounts collectives;
  MessageCounts messages;
  FollowCounts records;
  std::int64_t without_place = 0, after_loss = 0;  // waits

  [[nodiscard]] Nanoseconds waiting_time() const;
  [[nodiscard]] Nanoseconds time() const;  // of all ranks, as far as their waits are known
  // False: records of all ranks were lost from the beginning.
  [[nodiscard]] bool has_known() const;
  [[nodiscard]] std::size_t lost_ranks() const;
  // Ranks or records are missing, or ranks have not left MPI_Finalize.
  [[nodiscard]] bool partial() const;
  // There are older records that were not read yet.
  [[nodiscard]] bool catches_up() const { return !behind || *behind >= kMostBehind; }
};

// `now`: who waits. After the end of the run nobody does any more.
[[nodiscard]] WatchReport make_report(RunFollower& run, const Watcher& watcher, WaitingNow now,
                                      const std::vector<UnfinishedRank>& unfinished);

}  // namespace latecomer::watch
