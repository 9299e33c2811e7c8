// SPDX-License-Identifier: BSD-3-Clause
// Adds up waits: by rank, call path, cause and pair of nodes, in all and in the last seconds. Also
// the calls and their time, by call path and rank.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracer/watch/events.hpp"

namespace latecomer::watch {

// Wait states that are found while the program runs. The names are those of the metrics.
enum class WaitKind : std::uint8_t {
  kBarrier,
  kNxN,
  kLateBroadcast,
  kEarlyReduce,
  kLateContributor,
  kLateSender,
  kLateReceiver,
  kCount
};
inline constexpr auto kWaitKinds = static_cast<std::size_t>(WaitKind::kCount);
[[nodiscard]] const char* metric_name(WaitKind kind);
[[nodiscard]] const char* display_name(WaitKind kind);

// Time per second of the run for the last kSeconds, for one rank.
class RecentTime {
 public:
  static constexpr std::int64_t kSlice = 250'000'000;  // ns
  static constexpr std::size_t kSlices = 256;          // 64 s

  // Adds a time between two points; each slice gets its part.
  void add(Nanoseconds begin, Nanoseconds end);
  // Sum over [from, to), whole slices.
  [[nodiscard]] Nanoseconds between(std::int64_t from_slice, std::int64_t to_slice) const;

 private:
  struct Slice {
    std::int64_t number = INT64_MIN;
    Nanoseconds time = 0;
  };
  std::vector<Slice> slices_;  // allocated on first use
};

struct Sum {
  std::int64_t count = 0;
  Nanoseconds time = 0;
  void add(Nanoseconds more) {
    ++count;
    time += more;
  }
};

struct RankSums {
  std::array<Sum, kWaitKinds> waits{};  // of this rank
  Nanoseconds caused = 0;               // waiting of others for this rank
  Nanoseconds mpi = 0;                  // time in MPI, without MPI_Init and MPI_Finalize
  Nanoseconds begin_end = 0;            // time in MPI_Init and MPI_Finalize
  Nanoseconds first = INT64_MAX, last = INT64_MIN;  // first enter, last leave
  RecentTime recent_waits, recent_mpi;
  // Waits that begin later are not known: records were lost.
  Nanoseconds known_until = INT64_MAX;
  Nanoseconds last_wait = INT64_MIN;  // end of the last wait
  Nanoseconds unseen = 0;             // between the calls before and after losses
  bool lost = false;                  // since the last call
  bool elsewhere = false;             // another watcher is told of its calls, and adds its waits

  // Time from the first to the last call, without gaps.
  [[nodiscard]] Nanoseconds run() const { return last < first ? 0 : last - first - unseen; }
  [[nodiscard]] bool all_known() const { return known_until == INT64_MAX; }
  // End of the time whose waits are known. Those of calls after it may have been added before it
  // was noticed that records were lost.
  [[nodiscard]] Nanoseconds known_end() const {
    return std::min(last, std::max(known_until, last_wait));
  }
  // Length of that time. It has no gaps, since it ends before the first one.
  [[nodiscard]] Nanoseconds known() const {
    if (all_known()) return run();
    return known_end() <= first ? 0 : known_end() - first;
  }
  [[nodiscard]] Nanoseconds waiting() const {
    Nanoseconds sum = 0;
    for (const Sum& one : waits) sum += one.time;
    return sum;
  }
};

struct Wait {
  WaitKind kind = WaitKind::kBarrier;
  Rank rank = 0, cause = 0;
  PathId path = 0;
  Nanoseconds begin = 0, time = 0;
};

class WaitSums {
 public:
  explicit WaitSums(std::size_t most_places) : most_(most_places) {}

  void set_node(Rank rank, std::uint32_t node);
  // Another watcher adds the waits of a rank.
  void set_elsewhere(Rank rank) { of(rank).elsewhere = true; }
  void add_call(const CallEvent& call);
  // A rank was there until that time, in no call after its last one.
  void stay(Rank rank, Nanoseconds until);
  // Records of a rank were lost after its last call.
  void lose(Rank rank);
  // An operation of a rank was left out, since records were lost: not all of its waits from this
  // time on are known. So none of them counts.
  void cut(Rank rank, Nanoseconds time);
  // Waits of 0 are ignored, and those of ranks that another watcher is told of.
  void add(const Wait& wait);
  // Adds a wait of which it is only later decided whether it counts; it is in recent_waits only.
  // False: it is left out, since it began after the waits of its rank ceased to be known.
  bool add_recent(const Wait& wait);
  // Adds what add_recent() left open.
  void add_without_recent(const Wait& wait, std::int64_t count);

  [[nodiscard]] const std::vector<RankSums>& ranks() const { return ranks_; }
  [[nodiscard]] Nanoseconds last() const { return last_; }

  using Place = std::tuple<PathId, WaitKind, Rank>;
  [[nodiscard]] const std::map<Place, Sum>& places() const { return places_; }
  using CauseKey = std::tuple<PathId, WaitKind, Rank>;  // the rank is the one that was waited for
  [[nodiscard]] const std::map<CauseKey, Sum>& causes() const { return causes_; }
  // Number of calls and time in them, of all calls of MPI.
  [[nodiscard]] std::map<std::pair<PathId, Rank>, Sum> calls() const;
  using NodePair = std::tuple<WaitKind, std::uint32_t, std::uint32_t>;  // waiting node, other node
  [[nodiscard]] const std::map<NodePair, Sum>& node_pairs() const { return node_pairs_; }
  // Waits that are in the sums of ranks, but for which there was no place.
  [[nodiscard]] std::int64_t without_place() const { return without_place_; }
  // Waits that do not count, since others of the same rank were not known any more.
  [[nodiscard]] std::int64_t after_loss() const { return after_loss_; }

 private:
  void add_to_path(const CallEvent& call);
  RankSums& of(Rank rank) {
    if (rank >= ranks_.size()) ranks_.resize(rank + 1);
    return ranks_[rank];
  }
  [[nodiscard]] std::uint32_t node_of(Rank rank) const {
    return rank < nodes_.size() ? nodes_[rank] : 0;
  }

  std::size_t most_;
  std::vector<RankSums> ranks_;
  std::vector<std::uint32_t> nodes_;
  std::map<Place, Sum> places_;
  std::map<CauseKey, Sum> causes_;
  std::map<NodePair, Sum> node_pairs_;
  // The key has call path and rank. Where there is no room, calls are those of call path 0.
  std::unordered_map<std::uint64_t, Sum> calls_;
  std::int64_t without_place_ = 0, after_loss_ = 0;
  Nanoseconds last_ = INT64_MIN;
};

}  // namespace latecomer::watch
