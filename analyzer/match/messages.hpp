// SPDX-License-Identifier: BSD-3-Clause
// Matches sends with receives of all locations by exchanging data; no process waits for a partner.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/match/inbox.hpp"
#include "analyzer/match/partition.hpp"
#include "analyzer/memory/prefetch.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::replay {

// An operation without partner: index of the hosted location, and the call that contains it.
struct Unmatched {
  std::size_t location = 0;
  std::uint32_t call = 0;
};
// Counts and lists of messages without partner.
struct UnmatchedMessages {
  std::vector<Unmatched> sends, receives;
  std::vector<Unmatched> edge_receives;  // their sends were not recorded
  // Numbers for hosted receivers, where recording was off for a while: messages that one side did
  // not record, and channels on which the counts of unrecorded messages do not fit.
  std::int64_t at_edges = 0, uneven_channels = 0;
};

// All messages of the hosted locations, matched with their receives. Sends are exchanged in one
// batch. On the receiving side the n-th send of a channel (communicator, source, target, tag)
// belongs to the n-th receive *posted* for it. Operations that were not recorded count, too.
class MatchedMessages {
 public:
  // `mine` has the events of the hosted locations in ascending order. Collective.
  MatchedMessages(const trace::Definitions& definitions, const Partition& partition,
                  const std::vector<trace::LocationEvents>& mine, parallel::Processes& processes);

  // Calls on_match(i, receive, send) for every matched receive of the i-th hosted location.
  // Locations come one after the other, receives in the order of posting. Ends when on_match
  // returns false.
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
  // Visits one hosted location with on_match(receive, send). Returns false if on_match did.
  template <typename OnMatch>
  bool for_each_of(std::size_t location, const trace::LocationEvents& events,
                   OnMatch&& on_match) const {
    const auto inbox = inbox_.of(rank_of(events));
    const auto& matched = matched_[location];
    std::size_t next = 0;
    // The lambdas are inlined everywhere, so that a message is not assembled in memory first.
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

  // True if a location posted its receives in the order of the calls that completed them.
  [[nodiscard]] bool complete_in_order(std::size_t location) const { return order_[location].kept; }

  // The send of the i-th receive of a hosted location with that world rank, if it has one.
  [[nodiscard]] bool has_send(std::size_t location, std::size_t i) const {
    return matched_[location][i] != trace::kNone;
  }
  [[nodiscard]] SentMessage send_of(std::uint32_t rank, std::size_t location, std::size_t i) const {
    return inbox_.of(rank)[matched_[location][i]];
  }

  // The sends of all receives of a location.
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

  // Calls on_message(send, time of the receive) for the messages of hosted processes, by source and
  // in the order of sending. Messages without a receive are left out.
  template <typename OnMessage>
  void for_each_sent(const std::vector<trace::LocationEvents>& mine, OnMessage&& on_message) const;

  // Corrects the times of the sends.
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
  // Per hosted location and receive: place of its send in the inbox of its process, or kNone.
  std::vector<memory::Vector<std::uint32_t>> matched_;
  // Shows if receives were completed in the order of posting.
  struct Order {
    std::uint32_t last = 0;  // call that completed the last receive
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
