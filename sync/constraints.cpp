// SPDX-License-Identifier: BSD-3-Clause
// Computes bounds with three maxima per member, since the latency only depends on the class of the
// link: over its node, its metahost and elsewhere. Each leaves out the member itself.
#include "sync/constraints.hpp"

#include <algorithm>
#include <unordered_map>

namespace latecomer::sync {

// `second` must belong to another owner than `first`, so a larger value of the same owner only
// replaces `first`.
//
//   add (node 0, 5), (node 1, 3), (node 0, 7):   first 7 of node 0, second 3 of node 1
void GroupBounds::TopTwo::add(std::uint32_t from, Value value) {
  if (from == owner) {
    if (value.time > first.time) first = value;
  } else if (value.time > first.time) {
    second = first;
    first = value;
    owner = from;
  } else if (value.time > second.time) {
    second = value;
  }
}

GroupBounds::GroupBounds(const Topology& topology, const std::vector<std::uint32_t>& members)
    : latency_(topology.latency), bounds_(members.size()), origins_(members.size()) {
  const auto number = [&](const std::vector<std::uint32_t>& of, std::vector<std::uint32_t>& out) {
    std::unordered_map<std::uint32_t, std::uint32_t> numbers;
    for (const auto m : members) {
      out.push_back(
          numbers.try_emplace(of[m], static_cast<std::uint32_t>(numbers.size())).first->second);
    }
    return numbers.size();
  };
  in_node_.resize(number(topology.node, node_));
  in_metahost_.resize(number(topology.metahost, metahost_));
  nodes_shared_ = in_node_.size() < members.size();
  metahosts_differ_ = in_metahost_.size() > 1;
}

void GroupBounds::clear() {
  if (nodes_shared_) std::ranges::fill(in_node_, TopTwo{});
  std::ranges::fill(in_metahost_, TopTwo{});
  everywhere_ = {};
}

void GroupBounds::add(std::size_t member, Ticks time) {
  const Value value{time, static_cast<std::uint32_t>(member)};
  if (nodes_shared_) in_node_[node_[member]].add(value.member, value);
  in_metahost_[metahost_[member]].add(node_[member], value);
  if (metahosts_differ_) everywhere_.add(metahost_[member], value);
}

Ticks GroupBounds::bound(std::size_t member) {
  Ticks bound = kNone;
  const auto take = [&](const Value& value, Ticks latency) {
    if (value.time == kNone || value.time + latency <= bound) return;
    bound = value.time + latency;
    origins_[member] = value.member;
  };
  if (nodes_shared_) {
    take(in_node_[node_[member]].without(static_cast<std::uint32_t>(member)), latency_[0]);
  }
  take(in_metahost_[metahost_[member]].without(node_[member]), latency_[1]);
  if (metahosts_differ_) take(everywhere_.without(metahost_[member]), latency_[2]);
  return bound;
}

std::span<const Ticks> GroupBounds::earliest_exits(std::span<const OperationGroup::Part> parts,
                                                   bool prefix,
                                                   std::span<const Ticks> corrected_enters) {
  clear();
  if (!prefix) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].sends) add(i, corrected_enters[i]);
    }
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    bounds_[i] = parts[i].receives ? bound(i) : kNone;
    if (prefix && parts[i].sends) add(i, corrected_enters[i]);
  }
  return bounds_;
}

// Minima are maxima of negated times. In a prefix operation a member sends to later ranks, so the
// loop goes backwards.
std::span<const Ticks> GroupBounds::latest_enters(std::span<const OperationGroup::Part> parts,
                                                  bool prefix,
                                                  std::span<const Ticks> corrected_exits) {
  clear();
  if (!prefix) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].receives) add(i, -corrected_exits[i]);
    }
  }
  for (std::size_t i = parts.size(); i-- > 0;) {
    const Ticks limit = parts[i].sends ? bound(i) : kNone;
    bounds_[i] = limit == kNone ? kNoLimit : -limit;
    if (prefix && parts[i].receives) add(i, -corrected_exits[i]);
  }
  return bounds_;
}

}  // namespace latecomer::sync
