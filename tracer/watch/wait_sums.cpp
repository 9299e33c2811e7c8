// SPDX-License-Identifier: BSD-3-Clause
// Adds up waits and the time in MPI.
#include "tracer/watch/wait_sums.hpp"

#include <algorithm>
#include <utility>

namespace latecomer::watch {

const char* metric_name(WaitKind kind) {
  static constexpr const char* kNames[kWaitKinds] = {
      "mpi_barrier_wait",     "mpi_wait_nxn",   "mpi_latebroadcast", "mpi_earlyreduce",
      "mpi_late_contributor", "mpi_latesender", "mpi_latereceiver"};
  return kNames[static_cast<std::size_t>(kind)];
}

const char* display_name(WaitKind kind) {
  static constexpr const char* kNames[kWaitKinds] = {
      "Wait at Barrier",  "Wait at N x N", "Late Broadcast", "Early Reduce",
      "Late Contributor", "Late Sender",   "Late Receiver"};
  return kNames[static_cast<std::size_t>(kind)];
}

void RecentTime::add(Nanoseconds begin, Nanoseconds end) {
  if (end <= begin) return;
  if (slices_.empty()) slices_.resize(kSlices);
  // A time longer than all slices that are kept begins later.
  const auto longest = static_cast<Nanoseconds>(kSlices) * kSlice;
  if (end - begin > longest) begin = end - longest;
  for (std::int64_t number = begin / kSlice; number <= (end - 1) / kSlice; ++number) {
    Slice& slice = slices_[static_cast<std::size_t>(number) % kSlices];
    if (slice.number > number) continue;  // a later one has its place
    if (slice.number < number) slice = {number, 0};
    slice.time += std::min(end, (number + 1) * kSlice) - std::max(begin, number * kSlice);
  }
}

Nanoseconds RecentTime::between(std::int64_t from_slice, std::int64_t to_slice) const {
  Nanoseconds sum = 0;
  for (const Slice& slice : slices_) {
    if (slice.number >= from_slice && slice.number < to_slice) sum += slice.time;
  }
  return sum;
}

void WaitSums::set_node(Rank rank, std::uint32_t node) {
  if (rank >= nodes_.size()) nodes_.resize(rank + 1);
  nodes_[rank] = node;
  static_cast<void>(of(rank));
}

void WaitSums::add_call(const CallEvent& call) {
  RankSums& sums = of(call.rank);
  if (std::exchange(sums.lost, false) && sums.last != INT64_MIN && call.enter > sums.last)
    sums.unseen += call.enter - sums.last;
  sums.first = std::min(sums.first, call.enter);
  sums.last = std::max(sums.last, call.leave);
  last_ = std::max(last_, call.leave);
  if (call.calls > 0) add_to_path(call);
  if (call.kind == patterns::CallKind::kInit || call.kind == patterns::CallKind::kFinalize) {
    sums.begin_end += call.inside;
    return;
  }
  sums.mpi += call.inside;
  sums.recent_mpi.add(call.leave - call.inside, call.leave);
}

void WaitSums::stay(Rank rank, Nanoseconds until) {
  RankSums& sums = of(rank);
  if (sums.last == INT64_MIN || until <= sums.last) return;
  if (std::exchange(sums.lost, false)) sums.unseen += until - sums.last;
  sums.last = until;
  last_ = std::max(last_, until);
}

void WaitSums::add_to_path(const CallEvent& call) {
  const auto place = [&](PathId path) { return std::uint64_t{path} << 32 | call.rank; };
  auto found = calls_.find(place(call.path));
  if (found == calls_.end())
    found = calls_.try_emplace(place(calls_.size() < most_ ? call.path : 0)).first;
  found->second.count += call.calls;
  found->second.time += call.inside;
}

std::map<std::pair<PathId, Rank>, Sum> WaitSums::calls() const {
  std::map<std::pair<PathId, Rank>, Sum> all;
  for (const auto& [place, sum] : calls_) {
    all[{static_cast<PathId>(place >> 32), static_cast<Rank>(place)}] = sum;
  }
  return all;
}

void WaitSums::lose(Rank rank) {
  RankSums& sums = of(rank);
  sums.lost = true;
  cut(rank, sums.last);
}

void WaitSums::cut(Rank rank, Nanoseconds time) {
  RankSums& sums = of(rank);
  sums.known_until = std::min(sums.known_until, time);
}

void WaitSums::add(const Wait& wait) {
  if (wait.time > 0 && add_recent(wait)) add_without_recent(wait, 1);
}

bool WaitSums::add_recent(const Wait& wait) {
  RankSums& sums = of(wait.rank);
  if (sums.elsewhere) return false;
  if (wait.begin >= sums.known_until) {
    ++after_loss_;
    return false;
  }
  sums.last_wait = std::max(sums.last_wait, wait.begin + wait.time);
  sums.recent_waits.add(wait.begin, wait.begin + wait.time);
  return true;
}

void WaitSums::add_without_recent(const Wait& wait, std::int64_t count) {
  const auto put = [&](Sum& sum) {
    sum.count += count;
    sum.time += wait.time;
  };
  put(of(wait.rank).waits[static_cast<std::size_t>(wait.kind)]);
  if (wait.cause != kNone) {
    of(wait.cause).caused += wait.time;
    put(node_pairs_[{wait.kind, node_of(wait.rank), node_of(wait.cause)}]);
  }
  const auto put_at = [&](auto& sums, Rank rank) {
    const std::tuple key(wait.path, wait.kind, rank);
    const auto found = sums.find(key);
    if (found != sums.end()) return put(found->second);
    if (sums.size() >= most_) {
      without_place_ += count;
      return;
    }
    put(sums[key]);
  };
  put_at(places_, wait.rank);
  if (wait.cause != kNone) put_at(causes_, wait.cause);
}

}  // namespace latecomer::watch
