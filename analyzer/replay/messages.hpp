// SPDX-License-Identifier: BSD-3-Clause
// Matches sends with receives of all locations: by data, never by waiting for a partner.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/replay/partition.hpp"
#include "analyzer/trace/definitions.hpp"
#include "analyzer/trace/location_events.hpp"

namespace latecomer::replay {

// What travels from the host of a sender to the host of the receiver.
struct SentMessage {
  std::uint32_t target = 0, source = 0;  // world ranks
  std::uint32_t comm = 0, tag = 0;
  std::uint32_t location = 0, index = 0;  // where the send stands: LocationEvents::sends[index]
  trace::Ticks enter = 0;                 // of the call that sent
  trace::Ticks time = 0;                  // of the send record
};

// The i-th hosted location, its receive, and the send that belongs to it.
using OnMatch = std::function<void(std::size_t location, const trace::Message& receive,
                                   const SentMessage& send)>;

// An operation without partner: the i-th hosted location, and the Call it is in.
struct Unmatched {
  std::size_t location = 0;
  std::uint32_t call = 0;
};
struct UnmatchedMessages {
  std::vector<Unmatched> sends, receives;
};

// Sends travel in one batched exchange. On the receiving side the n-th send of a channel
// (communicator, source, target, tag) belongs to the n-th receive *posted* for it. Collective.
// `mine` holds the events of the hosted locations, ascending.
[[nodiscard]] UnmatchedMessages match_messages(const trace::Definitions& definitions,
                                               const Partition& partition,
                                               const std::vector<trace::LocationEvents>& mine,
                                               parallel::Processes& processes,
                                               const OnMatch& on_match);

}  // namespace latecomer::replay
