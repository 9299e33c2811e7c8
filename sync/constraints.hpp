// SPDX-License-Identifier: BSD-3-Clause
// Guarantees of MPI about times: data arrives no earlier than the minimum latency after it was
// sent.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sync/shift.hpp"

namespace latecomer::sync {

// Class of the link between two processes.
enum class LinkClass : std::uint8_t { kNode, kMetahost, kExternal };

// Places of the processes, and the minimum latency of a message on each class of links.
struct Topology {
  std::vector<std::uint32_t> node;        // per process
  std::vector<std::uint32_t> metahost;    // per process
  std::array<Ticks, 3> latency{1, 1, 1};  // per LinkClass

  [[nodiscard]] LinkClass link(std::uint32_t a, std::uint32_t b) const {
    if (node[a] == node[b]) return LinkClass::kNode;
    return metahost[a] == metahost[b] ? LinkClass::kMetahost : LinkClass::kExternal;
  }
  [[nodiscard]] Ticks minimum(std::uint32_t a, std::uint32_t b) const {
    return latency[static_cast<std::size_t>(link(a, b))];
  }
};

// Time from `from` to `to`, limited so that latencies can be added without overflow.
inline Ticks between(Ticks from, Ticks to) {
  constexpr Ticks kMost = INT64_MAX / 2;
  Ticks out = 0;
  if (__builtin_sub_overflow(to, from, &out)) return to < from ? -kMost : kMost;
  return std::clamp(out, -kMost, kMost);
}

// Messages from one thread of a process to another process, in the order of sending, with the
// uncorrected times of the send and receive events.
struct Channel {
  struct Message {
    Ticks sent = 0, received = 0;
  };
  std::uint32_t source = 0, target = 0;
  std::vector<Message> messages;
};

// Collective operations of one set of processes, in the order in which they were started. Each is a
// set of messages from enter events to exit events.
struct OperationGroup {
  struct Part {  // one process in one operation
    Ticks enter = 0, exit = 0;
    bool sends = false;     // its enter is a send
    bool receives = false;  // its exit is a receive
  };
  std::vector<std::uint32_t> members;  // processes in rank order
  std::vector<Part> parts;             // operation x member
  // Per operation. In a prefix operation a member receives from those before it. The part that a
  // scan receives from itself is no message.
  std::vector<bool> prefix;

  [[nodiscard]] std::size_t size() const { return prefix.size(); }
  [[nodiscard]] std::span<const Part> operation(std::size_t i) const {
    return std::span(parts).subspan(i * members.size(), members.size());
  }
};

// Bounds that the members of a group impose on each other. The time is linear in their number.
class GroupBounds {
 public:
  GroupBounds(const Topology& topology, const std::vector<std::uint32_t>& members);

  // The earliest corrected exit of each member that receives, given the corrected enters. It is the
  // maximum over all other senders of corrected enter + minimum latency; kNone if there is no other
  // sender. Valid until the next call.
  static constexpr Ticks kNone = INT64_MIN;
  std::span<const Ticks> earliest_exits(std::span<const OperationGroup::Part> parts, bool prefix,
                                        std::span<const Ticks> corrected_enters);
  // The member from which a bound comes. Call it after earliest_exits(), and only if there is a
  // bound.
  [[nodiscard]] std::uint32_t origin(std::size_t member) const { return origins_[member]; }
  // The latest corrected enter of each member that sends, given the corrected exits. It is the
  // minimum over all other receivers of corrected exit - minimum latency.
  static constexpr Ticks kNoLimit = INT64_MAX;
  std::span<const Ticks> latest_enters(std::span<const OperationGroup::Part> parts, bool prefix,
                                       std::span<const Ticks> corrected_exits);

 private:
  struct Value {
    Ticks time = kNone;
    std::uint32_t member = 0;  // member to which it belongs
  };
  // The largest value, and the largest one that belongs to another owner.
  struct TopTwo {
    Value first, second;
    std::uint32_t owner = 0xffffffff;
    void add(std::uint32_t from, Value value);
    [[nodiscard]] const Value& without(std::uint32_t from) const {
      return from == owner ? second : first;
    }
  };
  void clear();
  void add(std::size_t member, Ticks time);
  [[nodiscard]] Ticks bound(std::size_t member);

  std::array<Ticks, 3> latency_;
  std::vector<std::uint32_t> node_, metahost_;  // per member, numbered within the group
  std::vector<TopTwo> in_node_, in_metahost_;
  TopTwo everywhere_;
  bool nodes_shared_ = true, metahosts_differ_ = true;  // false: the maximum is of no use
  std::vector<Ticks> bounds_;
  std::vector<std::uint32_t> origins_;
};

}  // namespace latecomer::sync
