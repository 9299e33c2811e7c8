// SPDX-License-Identifier: BSD-3-Clause
// What processes waited for nonblocking collective operations, in the calls that completed them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/replay/booking.hpp"
#include "analyzer/replay/collectives.hpp"
#include "analyzer/replay/polls.hpp"
#include "analyzer/replay/receiver_waits.hpp"
#include "analyzer/replay/sender_waits.hpp"

namespace latecomer::replay {

// Collects the waits as they are found, operation by operation. A call that completes several
// requests books its longest wait once, and only what it did not wait for messages in the same
// time: all waits of a call begin when it is entered.
//
// The time of these calls is that of point-to-point communication by their names. What belongs to
// collective operations goes there: the whole call if it completes no messages, else its wait.
class NonblockingWaits {
 public:
  struct Wait {  // a participation of a hosted location in an operation
    std::size_t location = 0;
    const trace::Collective* own = nullptr;
    const WaitMetrics* metrics = nullptr;
    trace::Ticks time = 0;    // also if it is nothing
    trace::Ticks polled = 0;  // of it, in tests before the call
    CollectiveSummary::Who cause;
  };

  NonblockingWaits(Booking& booking, const Polls& polls) : booking_(booking), polls_(polls) {}

  void add(const Wait& wait) { waits_.push_back(wait); }
  // Calls book(wait) for all of them, with the time that is left, and moves the times of the calls.
  template <typename Book>
  void end(const ReceiverWaits& receivers, const SenderWaits& senders, Book&& book) {
    choose(receivers, senders);
    for (const Wait& wait : waits_) book(wait);
    move_times();
    waits_.clear();
  }

 private:
  void choose(const ReceiverWaits& receivers, const SenderWaits& senders);
  void move_times();
  void move_times(std::size_t location, std::span<const Wait> waits);

  Booking& booking_;
  const Polls& polls_;
  std::vector<Wait> waits_;
};

}  // namespace latecomer::replay
