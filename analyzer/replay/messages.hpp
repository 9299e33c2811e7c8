// SPDX-License-Identifier: BSD-3-Clause
// Matches sends with receives of all locations: by data, never by waiting for a partner.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/memory/prefetch.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/replay/inbox.hpp"
#include "analyzer/replay/partition.hpp"
#include "analyzer/trace/definitions.hpp"
#include "analyzer/trace/location_events.hpp"

namespace latecomer::replay {

// An operation without partner: the i-th hosted location, and the Call it is in.
struct Unmatched {
  std::size_t location = 0;
  std::uint32_t call = 0;
};
struct UnmatchedMessages {
  std::vector<Unmatched> sends, receives;
  std::vector<Unmatched> edge_receives;  // among those at edges
  // Where recording was off for a while: messages that one side did not record, and channels on
  // which the numbers of unrecorded messages do not fit. Of hosted receivers.
  std::int64_t at_edges = 0, uneven_channels = 0;
};

// All messages of the hosted locations with their receives. Sends travel in one batched exchange.
// On the receiving side the n-th send of a channel (communicator, source, target, tag) belongs to
// the n-th receive *posted* for it; those that were not recorded count, too.
class MatchedMessages {
 public:
  // Collective. `mine` holds the events of the hosted locations, ascending.
  MatchedMessages(const trace::Definitions& definitions, const Partition& partition,
                  const std::vector<trace::LocationEvents>& mine, parallel::Processes& processes);

  // Every matched receive, location by location, in the order of posting: on_match(i, receive,
  // send) for the i-th hosted location, until it returns false.
  template <typename OnMatch>
  void for_each(const std::vector<trace::LocationEvents>& mine, OnMatch&& on_match) const {
    const auto of_one = [&](std::size_t l) {
      return for_each_of(l, mine[l], [&](const trace::Message& receive, const SentMessage& send) {
        return on_match(l, receive, send);
      });
    };
    for (std::size_t l = 0; l < mine.size() && of_one(l); ++l) {
    }
  }
  // The same for the i-th hosted location: on_match(receive, send). False: on_match returned it.
  template <typename OnMatch>
  bool for_each_of(std::size_t location, const trace::LocationEvents& events,
                   OnMatch&& on_match) const {
    const auto inbox = inbox_.of(rank_of(events));
    const auto& matched = matched_[location];
    std::size_t next = 0;
    // Inlined wherever they are called from, so that a message is not put together in memory first.
    return events.receives.all_of([&](
        const trace::Message& receive) __attribute__((always_inline)) {
      const std::size_t i = next++;
      if (i + memory::kAhead < matched.size()) {
        const std::uint32_t ahead = matched[i + memory::kAhead];
        if (ahead != trace::kNone) inbox.prefetch(ahead);
      }
      if (matched[i] == trace::kNone) return true;
      return inbox.visit(
          matched[i], [ receive, &on_match ](const SentMessage& send)
                          __attribute__((always_inline)) { return on_match(receive, send); });
    });
  }

  // Receives of a hosted location were posted in the order of the calls that completed them.
  [[nodiscard]] bool complete_in_order(std::size_t location) const { return order_[location].kept; }

  // Of the i-th receive of a hosted location of that world rank, if it has one.
  [[nodiscard]] bool has_send(std::size_t location, std::size_t i) const {
    return matched_[location][i] != trace::kNone;
  }
  [[nodiscard]] SentMessage send_of(std::uint32_t rank, std::size_t location, std::size_t i) const {
    return inbox_.of(rank)[matched_[location][i]];
  }

  // The same for all receives of a location.
  class SendsOf {
   public:
    SendsOf(const Inbox::Part& inbox, std::span<const std::uint32_t> matched)
        : inbox_(inbox), matched_(matched) {}
    [[nodiscard]] bool has(std::size_t i) const { return matched_[i] != trace::kNone; }
    [[nodiscard]] SentMessage operator[](std::size_t i) const { return inbox_[matched_[i]]; }
    LATECOMER_PREFETCHES void prefetch(std::size_t i) const {
      if (i < matched_.size() && has(i)) inbox_.prefetch(matched_[i]);
    }

   private:
    Inbox::Part inbox_;
    std::span<const std::uint32_t> matched_;
  };
  [[nodiscard]] SendsOf sends_of(std::uint32_t rank, std::size_t location) const {
    return {inbox_.of(rank), matched_[location]};
  }

  // Messages for hosted processes, by source and in the order of sending: on_message(send, time of
  // the receive). Those without a receive are left out.
  template <typename OnMessage>
  void for_each_sent(const std::vector<trace::LocationEvents>& mine, OnMessage&& on_message) const;

  // Gives the sends the times that are right for their sources.
  void retime(CorrectedTimes& corrected) { inbox_.retime(corrected); }

  [[nodiscard]] const UnmatchedMessages& unmatched() const { return unmatched_; }

 private:
  static constexpr trace::Ticks kNever = INT64_MIN;
  void match_process(const Inbox::Part& inbox, const std::vector<trace::LocationEvents>& mine,
                     std::size_t first, std::size_t last, std::vector<SentMessage>& left);
  [[nodiscard]] std::uint32_t rank_of(const trace::LocationEvents& events) const {
    return definitions_.locations[events.location].process;
  }

  const trace::Definitions& definitions_;
  const Partition& partition_;
  Inbox inbox_;
  // Per hosted location and receive: the place in the inbox of its process, or kNone.
  std::vector<memory::Vector<std::uint32_t>> matched_;
  struct Order {
    std::uint32_t last = 0;  // call that completed a receive
    bool kept = true;
  };
  std::vector<Order> order_;  // per hosted location
  UnmatchedMessages unmatched_;
};

template <typename OnMessage>
void MatchedMessages::for_each_sent(const std::vector<trace::LocationEvents>& mine,
                                    OnMessage&& on_message) const {
  for (std::size_t first = 0; first < mine.size();) {
    const std::uint32_t rank = rank_of(mine[first]);
    const auto inbox = inbox_.of(rank);
    std::vector<trace::Ticks> received(inbox.size(), kNever);
    std::size_t last = first;
    for (; last < mine.size() && rank_of(mine[last]) == rank; ++last) {
      auto match = matched_[last].begin();
      for (const trace::Message& receive : mine[last].receives) {
        if (*match != trace::kNone) received[*match] = receive.time;
        ++match;
      }
    }
    for (std::size_t i = 0; i < inbox.size(); ++i) {
      if (received[i] != kNever) on_message(inbox[i], received[i]);
    }
    first = last;
  }
}

}  // namespace latecomer::replay
