// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/replay/last_transfers.hpp"

#include <algorithm>

namespace latecomer::replay {
namespace {

struct Part {
  std::uint32_t comm = 0, instance = 0, target = 0;
  trace::Ticks time = 0;
};

}  // namespace

LastTransfers::LastTransfers(const trace::Definitions& definitions, const Partition& partition,
                             const std::vector<trace::LocationEvents>& mine,
                             parallel::Processes& processes) {
  if (definitions.windows.empty()) return;
  const auto keep = [this](const Part& part) {
    auto& last = last_[{part.comm, part.instance, part.target}];
    last.time = std::max(last.time, part.time);
  };
  for (const auto& events : mine) {
    const std::uint32_t rank = definitions.locations[events.location].process;
    for (const auto& step : events.window_events) {
      if (!step.is_transfer() || step.other == rank) continue;
      keep({definitions.windows[step.window].comm, step.epoch, step.other,
            events.calls[step.call].leave});
    }
  }
  // Each target hears the last time of all its origins.
  std::vector<parallel::Packer> packs(static_cast<std::size_t>(processes.size()));
  for (const auto& [key, last] : last_) {
    const auto& [comm, instance, target] = key;
    packs[static_cast<std::size_t>(partition.host_of(target))].put(
        Part{comm, instance, target, last.time});
  }
  last_.clear();
  for (const auto& bytes : processes.exchange(take_all(packs))) {
    for (parallel::Unpacker in(bytes); !in.done();) keep(in.get<Part>());
  }
}

}  // namespace latecomer::replay
