// SPDX-License-Identifier: BSD-3-Clause
// Matches the participants of collective operations while the program runs.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracer/watch/in_start_order.hpp"
#include "tracer/watch/others.hpp"
#include "tracer/watch/time_spread.hpp"
#include "tracer/watch/wait_sums.hpp"

namespace latecomer::watch {

// Places in the order of arrival that are counted. Communicators of more processes have this many
// equal groups. The report of a trace has the same number.
inline constexpr std::size_t kPlaces = 16;

// One rank's part in the operations of one call site.
struct ParticipantStatistics {
  std::int64_t count = 0;
  std::int64_t first = 0, last = 0;                // how often it came first and last
  std::int64_t left_first = 0, left_last = 0;      // how often it left first and last
  std::array<std::int64_t, kPlaces> arrivals{};    // by place in the order of arrival
  std::array<std::int64_t, kPlaces> departures{};  // by place in the order of leaving
  TimeSpread arrival;                              // last arrival - own arrival
  TimeSpread departure;                            // own departure - first departure
};

// Operations of one kind on one communicator from one call site: that of the lowest rank.
struct CollectiveSite {
  CommId comm = 0;
  std::uint8_t operation = 0;
  PathId path = 0;
  auto operator<=>(const CollectiveSite&) const = default;
};
struct CollectiveStatistics {
  std::int64_t operations = 0;
  std::map<Rank, ParticipantStatistics> ranks;
};

// Participations that were left out, by the reason. Each counts once.
struct CollectiveCounts {
  std::int64_t seen = 0;
  std::int64_t finished = 0;      // in operations that all members came to
  std::int64_t pending = 0;       // in operations that some member has not left yet
  std::int64_t no_room = 0;       // too many incomplete operations
  std::int64_t after_loss = 0;    // records of a member were lost, so its operations have no number
  std::int64_t elsewhere = 0;     // the calls of a member are not told here
  std::int64_t not_recorded = 0;  // some member did not record the operation
  std::int64_t inconsistent = 0;  // members name different operations
  std::int64_t not_watched = 0;   // on intercommunicators, and communicators of one process
  std::int64_t out_of_order = 0;  // ended after too many later ones
  std::int64_t without_statistics = 0;  // waits are counted, but there was no room for the rest
  std::int64_t without_formula = 0;     // finished, of a kind that has no wait state here

  [[nodiscard]] std::int64_t left_out() const {
    return no_room + after_loss + elsewhere + not_recorded + inconsistent + not_watched +
           out_of_order;
  }
};

class CollectiveWatch {
 public:
  CollectiveWatch(const Limits& limits, WaitSums& waits, const Others& others)
      : limits_(limits), waits_(waits), others_(others) {}

  // Members of a communicator; none: its operations are not watched.
  void define(CommId comm, std::vector<Rank> members);
  void take(const CallEvent& call, const Operation& operation);
  void take(const RemoteOperation& operation);
  // Hands on the operations of a rank; call it after those of a call.
  void end_call(Rank rank);
  // Records of a rank were lost. Its later operations have no number.
  void lose(Rank rank);
  // The calls of a rank will not be told.
  void leave_out(Rank rank);
  // The run has ended: what is pending stays incomplete.
  void finish();

  [[nodiscard]] const std::map<CollectiveSite, CollectiveStatistics>& sites() const {
    return sites_;
  }
  [[nodiscard]] const CollectiveCounts& counts() const { return counts_; }

 private:
  // A participation. Its members are those of the call that ended it.
  struct Part {
    Rank rank = 0;
    CommId comm = 0;
    PathId path = 0;
    std::uint8_t operation = 0;
    bool all_positive = false, sends = false, receives = false, nonblocking = false;
    std::uint64_t missing = 0;  // no participation: so many were not recorded
    Rank root = kNone;
    Nanoseconds begin = 0;       // of the operation
    Nanoseconds wait_begin = 0;  // of waiting: nonblocking ones wait from the completing call on
    Nanoseconds end = 0;
  };
  using Parts = std::vector<Part>;
  struct Comm {
    std::vector<Rank> members;
    std::map<std::uint64_t, Parts> pending;  // by instance
    std::uint64_t first_valid = 0;           // older instances are left out
    bool had_loss = false;                   // of records of a member
    bool elsewhere = false;                  // the calls of a member are not told
    // Another watcher is told of the calls of a member. Known for this version of others_.
    bool has_others = false;
    std::int64_t version = -1;
  };

  void meet(const Part& part);
  void meet_at(Comm& comm, std::uint64_t instance, const Part& part);
  void tell_others(Comm& comm, std::uint64_t instance, const Part& part) const;
  // Number of parts of own ranks; only these are counted.
  [[nodiscard]] std::int64_t own(const Parts& parts) const;
  void forget(const Parts& parts);
  void finish_operation(const Comm& comm, std::uint64_t instance, Parts& parts);
  void count_orders(const Comm& comm, std::uint64_t instance, Parts& parts);
  void add_waits(const Comm& comm, const Parts& parts);
  void drop_pending(Comm& comm, std::int64_t& reason);
  void count_loss(const Part& part);
  void drop_oldest();

  const Limits limits_;
  WaitSums& waits_;
  const Others& others_;
  std::size_t held_ = 0;  // parts that are pending, with those of other watchers
  std::unordered_map<CommId, Comm> comms_;
  std::unordered_map<Rank, InStartOrder<Part>> open_;
  std::unordered_map<std::uint64_t, std::uint64_t> next_;  // instance by rank and communicator
  std::set<Rank> lost_, elsewhere_;
  std::map<CollectiveSite, CollectiveStatistics> sites_;
  std::size_t participants_ = 0;  // in sites_
  CollectiveCounts counts_;
};

}  // namespace latecomer::watch
