// SPDX-License-Identifier: BSD-3-Clause
// Matches sends with receives of all locations: by data, never by waiting for a partner.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
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

// All messages of the hosted locations with their receives. Sends travel in one batched exchange.
// On the receiving side the n-th send of a channel (communicator, source, target, tag) belongs to
// the n-th receive *posted* for it.
class MatchedMessages {
 public:
  // Collective. `mine` holds the events of the hosted locations, ascending.
  MatchedMessages(const trace::Definitions& definitions, const Partition& partition,
                  const std::vector<trace::LocationEvents>& mine, parallel::Processes& processes);

  // Every matched receive, location by location, in the order of posting.
  void for_each(const std::vector<trace::LocationEvents>& mine, const OnMatch& on_match) const;

  // Messages for the i-th hosted location's process, by source and in the order of sending; the
  // time of the receive is given as well. Those without a receive are left out.
  using OnMessage = std::function<void(const SentMessage& send, trace::Ticks received)>;
  void for_each_sent(const std::vector<trace::LocationEvents>& mine,
                     const OnMessage& on_message) const;

  // The times of `mine` have changed: fetches those of the senders again. Collective.
  void refresh_times(const std::vector<trace::LocationEvents>& mine,
                     parallel::Processes& processes);

  [[nodiscard]] const UnmatchedMessages& unmatched() const { return unmatched_; }

 private:
  // Messages that arrived, grouped by the world rank that they are for.
  class Inbox {
   public:
    Inbox() = default;
    Inbox(std::vector<parallel::Bytes> batches, std::size_t ranks);
    [[nodiscard]] std::span<const std::byte* const> of(std::uint32_t rank) const {
      return std::span(sorted_).subspan(first_[rank], first_[rank + 1] - first_[rank]);
    }
    // New contents of the same messages.
    void replace(const std::vector<parallel::Bytes>& batches);

   private:
    std::vector<parallel::Bytes> batches_;
    std::vector<std::size_t> first_;
    std::vector<const std::byte*> sorted_;  // into the batches
  };

  void match_process(std::span<const std::byte* const> inbox,
                     const std::vector<trace::LocationEvents>& mine, std::size_t first,
                     std::size_t last, std::vector<SentMessage>& left);
  [[nodiscard]] std::uint32_t rank_of(const trace::LocationEvents& events) const {
    return definitions_.locations[events.location].process;
  }

  const trace::Definitions& definitions_;
  const Partition& partition_;
  Inbox inbox_;
  // Per hosted location and receive: the place in the inbox of its process, or kNone.
  std::vector<std::vector<std::uint32_t>> matched_;
  UnmatchedMessages unmatched_;
};

}  // namespace latecomer::replay
