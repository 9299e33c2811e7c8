// SPDX-License-Identifier: BSD-3-Clause
// One-sided transfers between two fences: when the last one to the memory of a process ended, and
// with which processes it exchanged data.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "analyzer/match/partition.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::replay {

// The communicators of windows with transfers that some process did not record. Collective.
[[nodiscard]] std::set<std::uint32_t> comms_with_unseen_transfers(
    const trace::Definitions& definitions, const std::vector<trace::LocationEvents>& mine,
    parallel::Processes& processes);

// The transfers around each fence of the hosted processes.
class LastTransfers {
 public:
  // Transfers of a process between two collective calls on a window.
  struct Last {
    trace::Ticks time = INT64_MIN;  // leave of the last call at an origin; INT64_MIN: no transfer
    std::vector<std::uint32_t> partners;  // world ranks, either direction; ascending, each once
  };

  // Collective. The object has the transfers of the hosted processes only.
  LastTransfers(const trace::Definitions& definitions, const Partition& partition,
                const std::vector<trace::LocationEvents>& mine, parallel::Processes& processes);

  // Transfers by others between the collective call before the n-th one on a window and that one;
  // null if there were none. `comm` is the window's own communicator.
  [[nodiscard]] const Last* last(std::uint32_t comm, std::uint32_t instance,
                                 std::uint32_t rank) const {
    const auto* const found = find(comm, instance, rank);
    return found == nullptr || found->time == INT64_MIN ? nullptr : found;
  }
  // True if all transfers on the window were recorded. Otherwise no statement about them is
  // possible.
  [[nodiscard]] bool knows_all(std::uint32_t comm) const { return !incomplete_.contains(comm); }
  // Number of processes that a process exchanged data with between the collective call before the
  // n-th one and the one after it.
  [[nodiscard]] std::size_t partners_around(std::uint32_t comm, std::uint32_t instance,
                                            std::uint32_t rank) const;

 private:
  [[nodiscard]] const Last* find(std::uint32_t comm, std::uint32_t instance,
                                 std::uint32_t rank) const {
    const auto found = last_.find({comm, instance, rank});
    return found == last_.end() ? nullptr : &found->second;
  }

  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Last> last_;
  std::set<std::uint32_t> incomplete_;
};

}  // namespace latecomer::replay
