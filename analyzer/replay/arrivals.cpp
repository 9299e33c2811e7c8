// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/replay/arrivals.hpp"

#include <string_view>
#include <utility>

#include "patterns/collective_name.hpp"

namespace latecomer::replay {
namespace {

constexpr std::size_t kMost = 100;      // operations that are listed
constexpr std::size_t kMostRanks = 16;  // of each

std::string_view operation_of(std::uint64_t key) {
  return patterns::name(static_cast<patterns::CollectiveOperation>(key & 0xff));
}

}  // namespace

nlohmann::json Arrivals::json(parallel::Processes& processes) const {
  parallel::Packer pack;
  for (const auto& [key, one] : operations_) {
    pack.put(key);
    for (const auto value :
         {one.participations, one.early, one.most_early, one.after, one.most_after}) {
      pack.put(value);
    }
    pack.put(static_cast<std::uint64_t>(one.last.size()));
    for (const auto& [rank, count] : one.last) {
      pack.put(rank);
      pack.put(count);
    }
  }
  std::map<std::uint64_t, Operation> all;
  for (const auto& bytes : processes.all_gather(pack.take())) {
    for (parallel::Unpacker in(bytes); !in.done();) {
      Operation& to = all[in.get<std::uint64_t>()];
      to.participations += in.get<std::int64_t>();
      to.early += in.get<std::int64_t>();
      to.most_early = std::max(to.most_early, in.get<std::int64_t>());
      to.after += in.get<std::int64_t>();
      to.most_after = std::max(to.most_after, in.get<std::int64_t>());
      for (auto ranks = in.get<std::uint64_t>(); ranks > 0; --ranks) {
        const auto rank = in.get<std::uint32_t>();
        to.last[rank] += in.get<std::int64_t>();
      }
    }
  }
  std::vector<std::pair<std::uint64_t, const Operation*>> sorted;
  for (const auto& [key, one] : all) {
    // Nobody tunes the making of communicators.
    if (!operation_of(key).empty()) sorted.emplace_back(key, &one);
  }
  std::ranges::stable_sort(sorted, std::greater{}, [](const auto& o) { return o.second->early; });
  if (sorted.size() > kMost) sorted.resize(kMost);

  const auto& definitions = booking_.definitions;
  const auto second = static_cast<double>(definitions.ticks_per_second);
  const auto seconds = [&](trace::Ticks time) { return static_cast<double>(time) / second; };
  auto list = nlohmann::json::array();
  for (const auto& [key, one] : sorted) {
    const auto& comm = definitions.comms[key >> 8];
    std::vector<std::pair<std::uint32_t, std::int64_t>> last(one->last.begin(), one->last.end());
    std::ranges::stable_sort(last, std::greater{}, [](const auto& l) { return l.second; });
    if (last.size() > kMostRanks) last.resize(kMostRanks);
    const auto count = static_cast<double>(one->participations);
    list.push_back({{"operation", operation_of(key)},
                    {"communicator", comm.name},
                    {"communicator_id", key >> 8},
                    {"processes", comm.size()},
                    {"operations", one->participations / static_cast<std::int64_t>(comm.size())},
                    {"early_mean", seconds(one->early) / count},
                    {"early_largest", seconds(one->most_early)},
                    {"after_mean", seconds(one->after) / count},
                    {"after_largest", seconds(one->most_after)},
                    {"last", last}});
  }
  return list;
}

}  // namespace latecomer::replay
