// SPDX-License-Identifier: BSD-3-Clause
// When the last one-sided transfer to the memory of a process returned, between two fences.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/replay/partition.hpp"
#include "analyzer/trace/definitions.hpp"
#include "analyzer/trace/location_events.hpp"

namespace latecomer::replay {

class LastTransfers {
 public:
  struct Last {
    trace::Ticks time = 0;  // leave of the call at the origin
  };

  // Collective. Knows of the hosted processes.
  LastTransfers(const trace::Definitions& definitions, const Partition& partition,
                const std::vector<trace::LocationEvents>& mine, parallel::Processes& processes);

  // Transfers by others before the n-th collective call on a window, and behind the one before;
  // null if there were none. `comm` is the window's own communicator.
  [[nodiscard]] const Last* last(std::uint32_t comm, std::uint32_t instance,
                                 std::uint32_t rank) const {
    const auto found = last_.find({comm, instance, rank});
    return found == last_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Last> last_;
};

}  // namespace latecomer::replay
