// SPDX-License-Identifier: BSD-3-Clause
// Counts messages and exits of collective operations that are earlier than MPI allows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sync/constraints.hpp"

namespace latecomer::sync {

struct ViolationCounts {
  std::int64_t messages = 0;              // received < sent + minimum latency
  std::int64_t reversed_messages = 0;     // received < sent
  std::int64_t collectives = 0;           // exits before the earliest possible time
  std::int64_t reversed_collectives = 0;  // such exits even without latency

  ViolationCounts& operator+=(const ViolationCounts& other) {
    messages += other.messages;
    reversed_messages += other.reversed_messages;
    collectives += other.collectives;
    reversed_collectives += other.reversed_collectives;
    return *this;
  }
  [[nodiscard]] std::int64_t all() const { return messages + collectives; }
  friend bool operator==(const ViolationCounts&, const ViolationCounts&) = default;
};

struct Violations {
  explicit Violations(std::size_t metahosts) : pairs(metahosts * metahosts) {}
  // Index: sending metahost * number of metahosts + receiving metahost.
  std::vector<ViolationCounts> pairs;
  Ticks largest = 0;  // time by which the worst one is too early
  Ticks sum = 0;      // sum of these times over all

  // Adds the counts of channels that are parts of collective operations.
  void add_as_collectives(const Violations& edges) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      pairs[i].collectives += edges.pairs[i].messages;
      pairs[i].reversed_collectives += edges.pairs[i].reversed_messages;
    }
    largest = std::max(largest, edges.largest);
    sum += edges.sum;
  }
  [[nodiscard]] ViolationCounts total() const {
    ViolationCounts sum;
    for (const auto& p : pairs) sum += p;
    return sum;
  }
};

// `corrected(process, time)` is the time of an event on the common time line.
template <typename Corrected>
Violations count_violations(const Topology& topology, std::size_t metahosts,
                            std::span<const Channel> channels,
                            std::span<const OperationGroup> groups, Corrected&& corrected) {
  Violations out(metahosts);
  for (const auto& c : channels) {
    auto& pair = out.pairs[topology.metahost[c.source] * metahosts + topology.metahost[c.target]];
    const Ticks minimum = topology.minimum(c.source, c.target);
    for (const auto& m : c.messages) {
      const Ticks early = between(corrected(c.target, m.received), corrected(c.source, m.sent));
      if (early + minimum > 0) ++pair.messages;
      if (early > 0) ++pair.reversed_messages;
      out.largest = std::max(out.largest, early + minimum);
      out.sum += std::max<Ticks>(0, early + minimum);
    }
  }
  Topology instant = topology;
  instant.latency = {0, 0, 0};
  const Ticks farthest = std::ranges::max(topology.latency);
  std::vector<Ticks> enters, exits;
  for (const auto& group : groups) {
    GroupBounds bounds(topology, group.members), reversed(instant, group.members);
    const auto pair_of = [&](std::size_t from, std::size_t to) {
      return topology.metahost[group.members[from]] * metahosts +
             topology.metahost[group.members[to]];
    };
    for (std::size_t o = 0; o < group.size(); ++o) {
      const auto parts = group.operation(o);
      enters.resize(parts.size());
      exits.resize(parts.size());
      Ticks last = INT64_MIN, first = INT64_MAX;
      for (std::size_t i = 0; i < parts.size(); ++i) {
        enters[i] = corrected(group.members[i], parts[i].enter);
        exits[i] = corrected(group.members[i], parts[i].exit);
        if (parts[i].sends) last = std::max(last, enters[i]);
        if (parts[i].receives) first = std::min(first, exits[i]);
      }
      // Usually the first receiver leaves so late that no exit can be too early.
      if (last == INT64_MIN || first == INT64_MAX || last + farthest <= first) continue;
      const auto earliest = bounds.earliest_exits(parts, group.prefix[o], enters);
      bool any = false;
      for (std::size_t i = 0; i < parts.size(); ++i) {
        if (earliest[i] == GroupBounds::kNone) continue;
        const Ticks early = earliest[i] - exits[i];
        if (early <= 0) continue;
        any = true;
        ++out.pairs[pair_of(bounds.origin(i), i)].collectives;
        out.largest = std::max(out.largest, early);
        out.sum += early;
      }
      if (!any) continue;  // reversed exits are a subset of the violations
      const auto latest = reversed.earliest_exits(parts, group.prefix[o], enters);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        if (latest[i] == GroupBounds::kNone || latest[i] <= exits[i]) continue;
        ++out.pairs[pair_of(reversed.origin(i), i)].reversed_collectives;
      }
    }
  }
  return out;
}

}  // namespace latecomer::sync
