// SPDX-License-Identifier: BSD-3-Clause
// The latency depends on the class of the link only, so three maxima are enough per participant:
// own node, own metahost, elsewhere; each without the participant itself.
#include "sync/constraints.hpp"

#include <algorithm>
#include <unordered_map>

namespace latecomer::sync {
namespace {

// The largest value, and the largest of those that belong to another owner than that one.
class TopTwo {
 public:
  void add(std::uint32_t owner, Ticks value) {
    if (owner == first_owner_) {
      first_ = std::max(first_, value);
    } else if (value > first_) {
      second_ = first_;
      first_ = value;
      first_owner_ = owner;
    } else {
      second_ = std::max(second_, value);
    }
  }
  [[nodiscard]] Ticks without(std::uint32_t owner) const {
    return owner == first_owner_ ? second_ : first_;
  }

 private:
  Ticks first_ = kNoBound, second_ = kNoBound;
  std::uint32_t first_owner_ = 0xffffffff;
};

// Maxima of what was sent so far, by how far away it was sent.
class Maxima {
 public:
  explicit Maxima(const Topology& topology) : topology_(topology) {}

  void add(std::uint32_t process, Ticks time) {
    const auto node = topology_.node[process], metahost = topology_.metahost[process];
    in_node_[node].add(process, time);
    in_metahost_[metahost].add(node, time);
    everywhere_.add(metahost, time);
  }
  [[nodiscard]] Ticks bound(std::uint32_t process) const {
    const auto node = topology_.node[process], metahost = topology_.metahost[process];
    Ticks bound = kNoBound;
    const auto raise = [&](Ticks time, LinkClass link) {
      if (time == kNoBound) return;
      bound = std::max(bound, time + topology_.latency[static_cast<std::size_t>(link)]);
    };
    if (const auto it = in_node_.find(node); it != in_node_.end()) {
      raise(it->second.without(process), LinkClass::kNode);
    }
    if (const auto it = in_metahost_.find(metahost); it != in_metahost_.end()) {
      raise(it->second.without(node), LinkClass::kMetahost);
    }
    raise(everywhere_.without(metahost), LinkClass::kExternal);
    return bound;
  }

 private:
  const Topology& topology_;
  std::unordered_map<std::uint32_t, TopTwo> in_node_, in_metahost_;
  TopTwo everywhere_;
};

}  // namespace

std::vector<Ticks> earliest_exits(const Operation& operation,
                                  std::span<const Ticks> corrected_enters,
                                  const Topology& topology) {
  const auto& all = operation.participants;
  std::vector<Ticks> bounds(all.size(), kNoBound);
  Maxima sent(topology);
  if (!operation.prefix) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].sends) sent.add(all[i].process, corrected_enters[i]);
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].receives) bounds[i] = sent.bound(all[i].process);
    if (operation.prefix && all[i].sends) sent.add(all[i].process, corrected_enters[i]);
  }
  return bounds;
}

// Minima are maxima of negated times, and later ranks of a prefix operation come before.
std::vector<Ticks> latest_enters(const Operation& operation, std::span<const Ticks> corrected_exits,
                                 const Topology& topology) {
  const auto& all = operation.participants;
  std::vector<Ticks> limits(all.size(), kNoLimit);
  Maxima received(topology);
  if (!operation.prefix) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].receives) received.add(all[i].process, -corrected_exits[i]);
    }
  }
  for (std::size_t i = all.size(); i-- > 0;) {
    if (all[i].sends) {
      const Ticks bound = received.bound(all[i].process);
      if (bound != kNoBound) limits[i] = -bound;
    }
    if (operation.prefix && all[i].receives) received.add(all[i].process, -corrected_exits[i]);
  }
  return limits;
}

}  // namespace latecomer::sync
