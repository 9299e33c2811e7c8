// SPDX-License-Identifier: BSD-3-Clause
// A rank goes to the process whose equal share of all events its middle falls into.
#include "analyzer/replay/partition.hpp"

#include <algorithm>

namespace latecomer::replay {

Partition::Partition(const trace::Definitions& definitions, int processes) {
  constexpr double kOpening = 1000;  // opening a location costs about as much as this many events
  std::vector<double> weight(definitions.processes.size(), 0.0);
  double total = 0;
  for (const auto& location : definitions.locations) {
    const double w = kOpening + static_cast<double>(location.events);
    weight[location.process] += w;
    total += w;
  }
  double before = 0;
  for (const double w : weight) {
    const double middle = before + w / 2;
    host_.push_back(std::min(processes - 1, static_cast<int>(middle / total * processes)));
    before += w;
  }
}

std::vector<std::uint32_t> Partition::locations_of(const trace::Definitions& definitions,
                                                   int process) const {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < definitions.locations.size(); ++i) {
    if (host_[definitions.locations[i].process] == process) out.push_back(i);
  }
  return out;
}

}  // namespace latecomer::replay
