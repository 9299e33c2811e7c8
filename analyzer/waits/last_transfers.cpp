// SPDX-License-Identifier: BSD-3-Clause
// Collects transfers per pair of processes and sends them to the hosts of their targets.
#include "analyzer/waits/last_transfers.hpp"

#include <algorithm>
#include <iterator>

namespace latecomer::replay {
namespace {

// The last transfer of an origin to a target between two fences, on its way to the target's host.
struct Part {
  std::uint32_t comm = 0, instance = 0, target = 0, origin = 0;
  trace::Ticks time = 0;
};

}  // namespace

std::set<std::uint32_t> comms_with_unseen_transfers(const trace::Definitions& definitions,
                                                    const std::vector<trace::LocationEvents>& mine,
                                                    parallel::Processes& processes) {
  std::vector<std::uint64_t> bits((definitions.windows.size() + 63) / 64);
  for (const auto& events : mine) {
    for (const auto& gap : events.window_gaps) {
      if (gap.kind != trace::Gap::Kind::kTransfer) continue;
      bits[gap.window / 64] |= std::uint64_t{1} << gap.window % 64;
    }
  }
  processes.bit_or(bits);
  std::set<std::uint32_t> comms;
  for (std::size_t w = 0; w < definitions.windows.size(); ++w) {
    if ((bits[w / 64] >> w % 64 & 1) != 0) comms.insert(definitions.windows[w].comm);
  }
  return comms;
}

// `partners` of an origin are known here; those of a target come from the other processes.
LastTransfers::LastTransfers(const trace::Definitions& definitions, const Partition& partition,
                             const std::vector<trace::LocationEvents>& mine,
                             parallel::Processes& processes) {
  if (definitions.windows.empty()) return;
  incomplete_ = comms_with_unseen_transfers(definitions, mine, processes);
  // One part per pair of processes, however many transfers they made.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, trace::Ticks>
      own;
  for (const auto& events : mine) {
    const std::uint32_t rank = definitions.locations[events.location].process;
    for (const auto& step : events.window_events) {
      if (!step.is_transfer() || step.other == rank) continue;
      auto& last =
          own.try_emplace({definitions.windows[step.window].comm, step.epoch, step.other, rank},
                          INT64_MIN)
              .first->second;
      last = std::max(last, events.calls[step.call].leave);
    }
  }
  std::vector<parallel::Packer> packs(static_cast<std::size_t>(processes.size()));
  for (const auto& [key, time] : own) {
    const auto& [comm, instance, target, origin] = key;
    last_[{comm, instance, origin}].partners.push_back(target);
    packs[static_cast<std::size_t>(partition.host_of(target))].put(
        Part{comm, instance, target, origin, time});
  }
  for (const auto& bytes : processes.exchange(take_all(packs))) {
    for (parallel::Unpacker in(bytes); !in.done();) {
      const auto part = in.get<Part>();
      auto& last = last_[{part.comm, part.instance, part.target}];
      last.time = std::max(last.time, part.time);
      last.partners.push_back(part.origin);
    }
  }
  for (auto& [key, last] : last_) {
    std::ranges::sort(last.partners);
    const auto repeated = std::ranges::unique(last.partners);
    last.partners.erase(repeated.begin(), repeated.end());
  }
}

std::size_t LastTransfers::partners_around(std::uint32_t comm, std::uint32_t instance,
                                           std::uint32_t rank) const {
  const Last* const before = find(comm, instance, rank);
  const Last* const after = find(comm, instance + 1, rank);
  if (before == nullptr || after == nullptr) {
    const Last* const one = before == nullptr ? after : before;
    return one == nullptr ? 0 : one->partners.size();
  }
  std::vector<std::uint32_t> both;
  std::ranges::set_union(before->partners, after->partners, std::back_inserter(both));
  return both.size();
}

}  // namespace latecomer::replay
