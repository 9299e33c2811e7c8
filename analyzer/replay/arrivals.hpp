// SPDX-License-Identifier: BSD-3-Clause
// In which order processes come to collective operations: who is last, how long the others wait.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/replay/booking.hpp"
#include "analyzer/replay/collectives.hpp"

namespace latecomer::replay {

class Arrivals {
 public:
  explicit Arrivals(const Booking& booking) : booking_(booking) {}

  // The participation of a hosted location in a complete operation.
  void on_collective(std::size_t location, const trace::Collective& own,
                     const CollectiveSummary& all) {
    Operation& of = operation(all.comm, all.operation);
    const trace::Ticks early = all.latest.time - own.begin;
    ++of.participations;
    of.early += early;
    of.most_early = std::max(of.most_early, early);
    const trace::Ticks after = std::max<trace::Ticks>(0, own.end - all.latest.time);
    of.after += after;
    of.most_after = std::max(of.most_after, after);
    if (early == 0 && all.latest.rank == booking_.rank_of(location)) ++of.last[all.latest.rank];
  }

  // Key "collectives" of latecomer.json: those with most time of processes that came early first.
  // Collective.
  [[nodiscard]] nlohmann::json json(parallel::Processes& processes) const;

 private:
  // All operations of a kind on a communicator.
  struct Operation {
    std::int64_t participations = 0;
    trace::Ticks early = 0, most_early = 0;      // before the last one
    trace::Ticks after = 0, most_after = 0;      // in the operation, after the last one had come
    std::map<std::uint32_t, std::int64_t> last;  // how often, by world rank
  };
  [[nodiscard]] Operation& operation(std::uint32_t comm, std::uint8_t number) {
    const std::uint64_t key = (std::uint64_t{comm} << 8) | number;
    if (key != last_key_) {
      last_key_ = key;
      last_ = &operations_[key];
    }
    return *last_;
  }

  const Booking& booking_;
  std::map<std::uint64_t, Operation> operations_;  // communicator, number of the operation
  std::uint64_t last_key_ = UINT64_MAX;
  Operation* last_ = nullptr;
};

}  // namespace latecomer::replay
