// SPDX-License-Identifier: BSD-3-Clause
// Waits for nonblocking collective operations, in the calls that completed them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/booking/booking.hpp"
#include "analyzer/match/collectives.hpp"
#include "analyzer/waits/polls.hpp"
#include "analyzer/waits/receiver_waits.hpp"
#include "analyzer/waits/sender_waits.hpp"

namespace latecomer::replay {

// Collects the waits operation by operation. All waits of a call begin when it is entered. A call
// that completes several requests therefore books only its longest wait, without the time that it
// waited for messages meanwhile.
//
// By their names, these calls count as point-to-point communication. The share of collective
// operations is moved to them: the whole call if it completes no messages, otherwise its wait.
class NonblockingWaits {
 public:
  struct Wait {  // a participation of a hosted location in an operation
    std::size_t location = 0;
    const trace::Collective* own = nullptr;
    const WaitMetrics* metrics = nullptr;
    trace::Ticks time = 0;    // may be 0
    trace::Ticks polled = 0;  // part of `time` in tests before the call
    CollectiveSummary::Who cause;
    // The root of an N-to-1 operation waits for `cause`, the first contributor, and then for the
    // last one: so long at the end of `time`, if it does.
    trace::Ticks rest = 0;
    CollectiveSummary::Who last;
  };

  NonblockingWaits(Booking& booking, const Polls& polls) : booking_(booking), polls_(polls) {}

  void add(const Wait& wait) { waits_.push_back(wait); }
  // Calls book(wait) for all waits with the time that is left, and moves the times of the calls.
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
