// SPDX-License-Identifier: BSD-3-Clause
// A cheap check whether any event comes earlier than MPI allows, done while waits are computed.
#pragma once

#include <algorithm>
#include <vector>

#include "analyzer/match/collectives.hpp"
#include "analyzer/match/received_message.hpp"
#include "patterns/calls/collective_class.hpp"
#include "sync/constraints.hpp"

namespace latecomer::replay {

// The check is exact for messages. For collective operations it may report a suspicion where
// nothing is wrong, since it uses the latest of all begins and the longest latency. It never misses
// a violation.
class ClockCheck {
 public:
  ClockCheck(const trace::Definitions& definitions, const sync::Topology& topology,
             const std::vector<trace::LocationEvents>& mine)
      : definitions_(definitions), topology_(topology), mine_(mine) {
    const auto differ = [](const std::vector<std::uint32_t>& places) {
      return std::ranges::adjacent_find(places, std::not_equal_to{}) != places.end();
    };
    longest_ = topology.latency[0];
    if (differ(topology.node)) longest_ = std::max(longest_, topology.latency[1]);
    if (differ(topology.metahost)) longest_ = std::max(longest_, topology.latency[2]);
  }

  void on_message(const Receiver& to, const ReceivedMessage& message) {
    const auto& send = message.send;
    if (send.source == to.rank) return;
    const auto least = topology_.latency[static_cast<std::size_t>(message.link)];
    if (message.receive.time < send.time + least) suspicious_ = true;
  }

  void on_collective(std::size_t location, const trace::Collective& own,
                     const CollectiveSummary& all) {
    const auto& kind = mine_[location].kinds[own.kind];
    const std::uint32_t rank = definitions_.locations[mine_[location].location].process;
    trace::Ticks latest = CollectiveSummary::kNever;
    const auto type = patterns::collective_class(kind.operation, all.all_positive);
    if (definitions_.comms[kind.comm].inter) {
      if (type == patterns::CollectiveClass::kOther) return;
      if (type != patterns::CollectiveClass::kBarrier && kind.received == 0) return;
      if (own.end < all.latest.time + longest_) suspicious_ = true;
      return;
    }
    switch (type) {
      case patterns::CollectiveClass::kBarrier:
      case patterns::CollectiveClass::kPrefix:
        latest = all.latest.time;
        break;
      case patterns::CollectiveClass::kNToN:
        if (kind.received != 0) latest = all.latest_sender.time;
        break;
      case patterns::CollectiveClass::kOneToN:
        if (!is_root(kind, rank)) latest = all.root.time;
        break;
      case patterns::CollectiveClass::kNToOne:
        if (is_root(kind, rank)) latest = all.latest_sender.time;
        break;
      case patterns::CollectiveClass::kFence:
        if (all.all_positive) latest = all.latest.time;
        break;
      case patterns::CollectiveClass::kNeighborhood:  // on_needed
      case patterns::CollectiveClass::kWindow:
      case patterns::CollectiveClass::kFile:
      case patterns::CollectiveClass::kOther:
        break;
    }
    if (latest != CollectiveSummary::kNever && own.end < latest + longest_) suspicious_ = true;
  }

  // Checks an event at `end` that depended on one that began at `begin` elsewhere.
  void on_needed(trace::Ticks end, trace::Ticks begin) {
    if (end < begin + longest_) suspicious_ = true;
  }

  [[nodiscard]] bool suspicious() const { return suspicious_; }

 private:
  [[nodiscard]] bool is_root(const trace::CollectiveKind& kind, std::uint32_t rank) const {
    const auto& members = definitions_.comms[kind.comm].members;
    return kind.root < members.size() && members[kind.root] == rank;
  }

  const trace::Definitions& definitions_;
  const sync::Topology& topology_;
  const std::vector<trace::LocationEvents>& mine_;
  sync::Ticks longest_ = 1;
  bool suspicious_ = false;
};

}  // namespace latecomer::replay
