// SPDX-License-Identifier: BSD-3-Clause
// What receivers waited for: late senders, and those in wrong order.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analyzer/causes/sync_points.hpp"
#include "analyzer/replay/booking.hpp"
#include "analyzer/replay/messages.hpp"
#include "analyzer/replay/polls.hpp"
#include "analyzer/replay/probes.hpp"
#include "analyzer/replay/received_message.hpp"

namespace latecomer::replay {

// A call that waited for a message: the longest of its waits, which is booked.
struct MessageWait {
  std::uint32_t call = 0;   // of the location
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
  ~ReceiverWaits();

  void on_message(const ReceivedMessage& message);
  // After the last message.
  void end() { end_location(); }

  // Of a hosted location, ascending by call.
  [[nodiscard]] const memory::Vector<MessageWait>& late_senders(std::size_t location) const {
    return late_senders_[location];
  }
  // Nobody asks for them any more.
  void forget() {
    received_ = decltype(received_)();  // {} would only make them empty
    late_senders_ = decltype(late_senders_)();
  }

 private:
  struct Received {
    std::uint32_t call = 0;     // that waited
    std::uint32_t receive = 0;  // the call that completed it, where it is counted
    bool probed = false;        // it waited in a probe
    std::uint32_t source = 0;
    std::uint32_t source_location = 0, send = 0;  // of the sender, there
    trace::Ticks received = 0, sent = 0, sender_entered = 0;
    trace::Ticks wait = 0;
    trace::Ticks polled = 0;  // of it, in tests before the call
    trace::Ticks posted = 0;
    bool empty = false;  // zero bytes
  };
  void end_location();
  void end_calls();
  void book(const Received& received);
  struct Waited {  // what is remembered of one that was booked
    std::uint32_t call = 0, receive = 0, source = 0;
    bool empty = false;
    trace::Ticks wait = 0, sent = 0;
  };
  void book_wrong_order(const Waited& waited, bool same_source);
  class WrongOrder;

  Booking& booking_;
  causes::SyncPoints& points_;
  const Polls& polls_;
  Probes& probes_;
  bool compatible_;
  std::size_t location_ = SIZE_MAX;    // whose messages come
  bool in_order_ = false;              // of the calls that waited for them
  memory::Vector<Received> received_;  // by it; if they come in order, in one call
  std::unique_ptr<WrongOrder> wrong_order_;
  std::vector<memory::Vector<MessageWait>> late_senders_;
};

}  // namespace latecomer::replay
