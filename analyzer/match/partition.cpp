// SPDX-License-Identifier: BSD-3-Clause
// Assigns ranks to processes. All events are divided into equal shares, and a rank belongs to the
// share that contains its middle.
#include "analyzer/match/partition.hpp"

#include <algorithm>
#include <map>

namespace latecomer::replay {
namespace {

constexpr double kOpening = 1000;  // opening a location costs about as much as this many events

// Views with the most locations of a traced process; all views if none has any.
std::vector<std::size_t> best_views(const trace::Process& traced, const Visibility& visibility) {
  std::vector<std::size_t> seen(visibility.views.size());
  for (std::size_t v = 0; v < seen.size(); ++v) {
    for (const auto l : traced.locations) seen[v] += visibility.views[v][l] ? 1 : 0;
  }
  const std::size_t most = *std::ranges::max_element(seen);
  std::vector<std::size_t> best;
  for (std::size_t v = 0; v < seen.size(); ++v) {
    if (seen[v] == most) best.push_back(v);
  }
  return best;
}

// The analysis processes with one of these views.
std::vector<int> hosts_with(const std::vector<std::size_t>& views, const Visibility& visibility) {
  std::vector<int> hosts;
  for (std::size_t p = 0; p < visibility.view_of.size(); ++p) {
    if (std::ranges::binary_search(views, std::size_t{visibility.view_of[p]})) {
      hosts.push_back(static_cast<int>(p));
    }
  }
  return hosts;
}

Visibility all_visible(const trace::Definitions& definitions, int processes) {
  Visibility all;
  all.views.assign(1, std::vector<bool>(definitions.locations.size(), true));
  all.view_of.assign(static_cast<std::size_t>(processes), 0);
  return all;
}

}  // namespace

Partition::Partition(const trace::Definitions& definitions, int processes)
    : Partition(definitions, all_visible(definitions, processes)) {}

Partition::Partition(const trace::Definitions& definitions, const Visibility& visibility)
    : host_(definitions.processes.size()) {
  std::vector<double> weight(definitions.processes.size(), 0.0);
  for (const auto& location : definitions.locations) {
    weight[location.process] += kOpening + static_cast<double>(location.events);
  }
  struct Share {
    std::vector<std::uint32_t> ranks;
    double total = 0;
  };
  std::map<std::vector<std::size_t>, Share> shares;  // traced processes by their best views
  for (std::uint32_t rank = 0; rank < host_.size(); ++rank) {
    Share& share = shares[best_views(definitions.processes[rank], visibility)];
    share.ranks.push_back(rank);
    share.total += weight[rank];
  }
  for (const auto& [views, share] : shares) {
    const auto hosts = hosts_with(views, visibility);
    const auto last = static_cast<int>(hosts.size()) - 1;
    double before = 0;
    for (const auto rank : share.ranks) {
      const double middle = before + weight[rank] / 2;
      const auto place = static_cast<int>(middle / share.total * static_cast<double>(hosts.size()));
      host_[rank] = hosts[static_cast<std::size_t>(std::min(last, place))];
      before += weight[rank];
    }
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
