// SPDX-License-Identifier: BSD-3-Clause
// Waits of receivers: late senders, and messages received in wrong order.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/booking/booking.hpp"
#include "analyzer/causes/sync_points.hpp"
#include "analyzer/match/messages.hpp"
#include "analyzer/match/received_message.hpp"
#include "analyzer/waits/late_senders.hpp"
#include "analyzer/waits/polls.hpp"
#include "analyzer/waits/probes.hpp"
#include "patterns/waits/late_sender.hpp"

namespace latecomer::replay {

// The longest wait of a call for a message, as it was booked.
struct MessageWait {
  std::uint32_t call = 0;   // call of the location
  std::uint32_t cause = 0;  // world rank
  trace::Ticks wait = 0;
};

// Takes the matched receives of all hosted locations, location by location, and books their waits.
class ReceiverWaits {
 public:
  ReceiverWaits(Booking& booking, causes::SyncPoints& points, const Polls& polls, Probes& probes,
                bool scalasca_compatible);
  ReceiverWaits(const ReceiverWaits&) = delete;
  ReceiverWaits& operator=(const ReceiverWaits&) = delete;

  void start(const Receiver& to);
  void on_message(const ReceivedMessage& message) {
    const auto& [receive, send, call, posted, link, kind] = message;
    if (send.time > receive.time) [[unlikely]]
      book_violation(message);
    // Receives that come in order are processed at once instead of being collected.
    if (!in_order_ || kind == patterns::CallKind::kTest) return on_any(message);
    add(receive.call, send.source, receive.time, send.time,
        patterns::late_sender(call.enter, call.leave, send.enter),
        [&](Ticks wait) { return received(message, receive.call, wait); });
  }
  // Ends a location after its last message.
  void end();

  // The booked waits of a hosted location, in ascending order of calls.
  [[nodiscard]] const memory::Vector<MessageWait>& late_senders(std::size_t location) const {
    return late_senders_[location];
  }
  // Frees the lists when they are not needed any more.
  void forget() {
    received_ = decltype(received_)();  // {} would keep the memory
    late_senders_ = decltype(late_senders_)();
  }

 private:
  using Ticks = trace::Ticks;
  // A matched receive with what it waited.
  struct Received {
    std::uint32_t call = 0;     // the call that waited
    std::uint32_t receive = 0;  // the call that completed the receive, where it is counted
    bool probed = false;        // the call is a probe
    std::uint32_t source = 0;
    std::uint32_t source_location = 0, send = 0;  // location of the sender and index of its send
    Ticks received = 0, sent = 0, sender_entered = 0;
    Ticks wait = 0;
    Ticks polled = 0;  // part of `wait` in tests before the call
    Ticks posted = 0;
    bool empty = false;  // zero bytes
  };
  [[nodiscard]] static Received received(const ReceivedMessage& message, std::uint32_t call,
                                         Ticks wait) {
    const auto& [receive, send, completing, posted, link, kind] = message;
    return {.call = call,
            .receive = receive.call,
            .source = send.source,
            .source_location = send.location,
            .send = send.index,
            .received = receive.time,
            .sent = send.time,
            .sender_entered = send.enter,
            .wait = wait,
            .posted = posted,
            .empty = receive.size == 0};
  }
  [[gnu::noinline]] void on_any(ReceivedMessage message);
  [[gnu::noinline]] void book_violation(ReceivedMessage message);
  // Adds a receive. Receives come call by call; those of one call in any order. whole(wait) is
  // called only if this is the longest wait so far, and returns its details.
  template <typename Whole>
  void add(std::uint32_t call, std::uint32_t source, Ticks received, Ticks sent, Ticks wait,
           Whole&& whole) {
    if (call != call_) {
      end_call();
      call_ = call;
    }
    if (sent < wrong_order_.latest()) before_.push_back({received, sent, source});
    if (wait <= 0 || wait < longest_.wait) return;
    // Ties go to the lowest rank, then to the message received first.
    if (wait == longest_.wait &&
        std::pair(source, received) >= std::pair(longest_.source, longest_.received)) {
      return;
    }
    longest_ = whole(wait);
  }
  void end_call();
  void book(const Received& received);
  void book_wrong_order(const LateSenders::Waited& waited, bool same_source);

  Booking& booking_;
  causes::SyncPoints& points_;
  const Polls& polls_;
  Probes& probes_;
  const bool compatible_;
  std::size_t location_ = 0;           // the location whose messages come
  bool in_order_ = false;              // receives come in the order of the calls that waited
  memory::Vector<Received> received_;  // receives to be sorted, if they come in another order
  LateSenders wrong_order_;            // waits that may turn out to be for messages in wrong order
  // State of the call that completes receives: its longest wait, and the messages that were sent
  // before one that was waited for earlier.
  std::uint32_t call_ = trace::kNone;
  Received longest_;
  // A message that was sent before one that was waited for earlier.
  struct Before {
    Ticks received = 0, sent = 0;
    std::uint32_t source = 0;
  };
  std::vector<Before> before_;
  std::vector<memory::Vector<MessageWait>> late_senders_;
};

}  // namespace latecomer::replay
