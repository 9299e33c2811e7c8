// SPDX-License-Identifier: BSD-3-Clause
// Plans heaps of hosts.
#include "tracer/watch/gather/tree_plan.hpp"

#include <algorithm>
#include <map>

namespace latecomer::watch {

TreePlan::TreePlan(std::vector<AgentHost> hosts, std::size_t arity) : hosts_(std::move(hosts)) {
  std::erase_if(hosts_, [](const AgentHost& one) { return one.ranks.empty(); });
  std::ranges::sort(hosts_, {}, [](const AgentHost& one) { return one.ranks.front(); });
  arity = std::max<std::size_t>(arity, 1);
  std::map<std::int64_t, std::vector<std::size_t>> metahosts;
  std::vector<std::size_t> first_ones;
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    auto& members = metahosts[hosts_[i].metahost];
    if (members.empty()) first_ones.push_back(i);
    members.push_back(i);
    for (const Rank rank : hosts_[i].ranks) {
      if (rank >= by_rank_.size()) by_rank_.resize(rank + 1, kNone);
      by_rank_[rank] = static_cast<std::uint32_t>(i);
    }
  }
  parents_.resize(hosts_.size());
  children_.resize(hosts_.size());
  const auto make_heap = [&](const std::vector<std::size_t>& members) {
    for (std::size_t i = 1; i < members.size(); ++i) {
      const std::size_t parent = members[(i - 1) / arity];
      parents_[members[i]] = parent;
      children_[parent].push_back(members[i]);
    }
  };
  make_heap(first_ones);
  for (const auto& [id, members] : metahosts) make_heap(members);
  for (auto& children : children_) std::ranges::sort(children);
}

std::optional<std::size_t> TreePlan::parent(std::size_t host) const {
  if (host == kRoot) return {};
  return parents_[host];
}

std::vector<std::size_t> TreePlan::below(std::size_t host) const {
  std::vector<std::size_t> all = {host};
  for (std::size_t i = 0; i < all.size(); ++i)
    all.insert(all.end(), children_[all[i]].begin(), children_[all[i]].end());
  std::ranges::sort(all);
  return all;
}

std::size_t TreePlan::next(std::size_t host, std::size_t to) const {
  for (std::size_t at = to; at != kRoot; at = parents_[at]) {
    if (parents_[at] == host) return at;
  }
  return parents_[host];
}

std::optional<std::size_t> TreePlan::host_of(Rank rank) const {
  if (rank >= by_rank_.size() || by_rank_[rank] == kNone) return {};
  return by_rank_[rank];
}

std::optional<std::size_t> TreePlan::number_of(const std::string& host) const {
  const auto found = std::ranges::find(hosts_, host, &AgentHost::host);
  if (found == hosts_.end()) return {};
  return static_cast<std::size_t>(found - hosts_.begin());
}

}  // namespace latecomer::watch
