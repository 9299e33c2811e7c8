// SPDX-License-Identifier: BSD-3-Clause
// What MPI guarantees about times: data arrives at least the minimum latency after it was sent.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sync/shift.hpp"

namespace latecomer::sync {

// Where processes are, and how long a message takes at least on each class of links.
enum class LinkClass : std::uint8_t { kNode, kMetahost, kExternal };

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

// A matched message: uncorrected times of the send and the receive event.
struct Message {
  std::uint32_t source = 0, target = 0;
  Ticks sent = 0, received = 0;
};

// A collective operation as a set of messages from enter events to exit events.
struct Participant {
  std::uint32_t process = 0;
  bool sends = false;     // its enter is a send
  bool receives = false;  // its exit is a receive
  Ticks enter = 0, exit = 0;
};
struct Operation {
  // Prefix: a participant receives from those before it; a scan also from itself, which is no
  // message.
  bool prefix = false;
  std::vector<Participant> participants;  // in rank order
};

// The earliest corrected exit of each participant that receives, given the corrected enters:
// maximum over all senders but itself of corrected enter + minimum latency. kNoBound where nobody
// else sends. Linear in the number of participants.
inline constexpr Ticks kNoBound = INT64_MIN;
[[nodiscard]] std::vector<Ticks> earliest_exits(const Operation& operation,
                                                std::span<const Ticks> corrected_enters,
                                                const Topology& topology);

// The same from the senders' side: the latest corrected enter of each participant that sends, given
// the corrected exits: minimum over all receivers but itself of corrected exit - minimum latency.
inline constexpr Ticks kNoLimit = INT64_MAX;
[[nodiscard]] std::vector<Ticks> latest_enters(const Operation& operation,
                                               std::span<const Ticks> corrected_exits,
                                               const Topology& topology);

}  // namespace latecomer::sync
