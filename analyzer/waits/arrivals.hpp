// SPDX-License-Identifier: BSD-3-Clause
// The order in which processes come to collective operations: who is first, who is last, and how
// long the others wait.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analyzer/booking/booking.hpp"
#include "analyzer/booking/statistics.hpp"
#include "analyzer/match/collectives.hpp"
#include "analyzer/match/places.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/report/extras/arrival_order.hpp"

namespace latecomer::replay {

// Counts and times of arrival, by operation and communicator, for the hosted locations.
class Arrivals {
 public:
  explicit Arrivals(const Booking& booking) : booking_(booking) {}

  // A hosted location takes part in a complete operation.
  void on_collective(std::size_t location, const trace::Collective& own,
                     const CollectiveSummary& all) {
    Operation& of = operation(all.comm, all.operation);
    const std::uint32_t rank = booking_.rank_of(location);
    const trace::Ticks early = all.latest.time - own.begin;
    of.early.push_back(early);
    of.after.push_back(std::max<trace::Ticks>(0, own.end - all.latest.time));
    if (of.last == nullptr || of.last->first != rank) [[unlikely]]
      of.last = &*of.ranks.try_emplace(rank).first;
    Rank& one = of.last->second;
    ++one.count;
    one.early += early;
    if (own.begin == all.earliest.time && all.earliest.rank == rank) ++one.first;
    if (early == 0 && all.latest.rank == rank) ++one.last;
  }

  // The arrivals of all processes. Operations whose processes came early for the longest time stand
  // first. Collective; it consumes the data.
  [[nodiscard]] std::vector<report::Arrivals> result(parallel::Processes& processes);

 private:
  // Arrivals of one rank: number of operations, how often it was first and last, and total early
  // time.
  struct Rank {
    std::int64_t count = 0, first = 0, last = 0;
    trace::Ticks early = 0;
    Places places{};  // how often it came at each place; also for locations hosted elsewhere
  };
  // All operations of one kind on one communicator.
  struct Operation {
    Statistics::Values early;             // time between the own arrival and the last one
    Statistics::Values after;             // time in the operation after the last arrival
    std::map<std::uint32_t, Rank> ranks;  // by world rank
    std::pair<const std::uint32_t, Rank>* last = nullptr;  // cache: the rank of the previous call
  };
  using Key = std::uint64_t;  // communicator, number of the operation
  // Operations on all files, or all windows, of one communicator count as one kind.
  [[nodiscard]] Operation& operation(std::uint32_t comm, std::uint8_t number) {
    const Key asked = (Key{comm} << 8) | number;
    if (asked != last_key_) {
      const auto original = booking_.definitions.comms[comm].original;
      last_key_ = asked;
      last_ = &operations_[original == trace::kNone ? asked : (Key{original} << 8) | number];
    }
    return *last_;
  }
  [[nodiscard]] std::map<Key, std::map<std::uint32_t, Rank>> gather_ranks(
      parallel::Processes& processes) const;

  const Booking& booking_;
  std::map<Key, Operation> operations_;
  Key last_key_ = UINT64_MAX;  // key of the previous query
  Operation* last_ = nullptr;
};

}  // namespace latecomer::replay
