// SPDX-License-Identifier: BSD-3-Clause
// One-sided transfers between two fences: when the last one to the memory of a process returned,
// and with whom a process exchanged data at all.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/replay/partition.hpp"
#include "analyzer/trace/definitions.hpp"
#include "analyzer/trace/location_events.hpp"

namespace latecomer::replay {

// The communicators of the windows on which some process made transfers that were not recorded.
// Collective.
[[nodiscard]] std::set<std::uint32_t> comms_with_unseen_transfers(
    const trace::Definitions& definitions, const std::vector<trace::LocationEvents>& mine,
    parallel::Processes& processes);

class LastTransfers {
 public:
  struct Last {
    trace::Ticks time = INT64_MIN;        // leave of the call at the origin; none: no transfer here
    std::vector<std::uint32_t> partners;  // world ranks, either direction; ascending, each once
  };

  // Collective. Knows of the hosted processes.
  LastTransfers(const trace::Definitions& definitions, const Partition& partition,
                const std::vector<trace::LocationEvents>& mine, parallel::Processes& processes);

  // Transfers by others before the n-th collective call on a window, and behind the one before;
  // null if there were none. `comm` is the window's own communicator.
  [[nodiscard]] const Last* last(std::uint32_t comm, std::uint32_t instance,
                                 std::uint32_t rank) const {
    const auto* const found = find(comm, instance, rank);
    return found == nullptr || found->time == INT64_MIN ? nullptr : found;
  }
  // Whether all transfers on the window were recorded. Otherwise nothing is to be said of them.
  [[nodiscard]] bool knows_all(std::uint32_t comm) const { return !incomplete_.contains(comm); }
  // How many others a process exchanged data with between the collective call before the n-th one
  // and the call behind it.
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
