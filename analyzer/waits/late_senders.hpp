// SPDX-License-Identifier: BSD-3-Clause
// Late senders of a location whose messages may turn out to have been received in wrong order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <queue>

#include "analyzer/memory/large_pages.hpp"
#include "analyzer/trace/events/location_events.hpp"
#include "patterns/waits/wrong_order.hpp"

namespace latecomer::replay {

// Messages that were waited for. If a message received later was sent earlier, the former were
// received in wrong order. Messages are usually sent in the order in which they are waited for, so
// the latest one is the last of a list. Only the others need a heap.
class LateSenders {
 public:
  struct Waited {  // a wait that was booked
    std::uint32_t call = 0, receive = 0, source = 0;
    bool empty = false;
    trace::Ticks wait = 0, sent = 0;
  };

  explicit LateSenders(bool scalasca_compatible) : compatible_(scalasca_compatible) {}

  void clear() { *this = LateSenders(compatible_); }
  void add(const Waited& waited) {
    latest_ = std::max(latest_, waited.sent);
    if (compatible_) {
      recent_.push_back(waited);
      if (recent_.size() > kCompatibleLimit) recent_.pop_front();
    } else if (in_order_.empty() || in_order_.back().sent <= waited.sent) {
      in_order_.push_back(waited);
    } else {
      others_.push(waited);
    }
  }
  // take_after() finds nothing for messages sent at this time or later.
  [[nodiscard]] trace::Ticks latest() const { return latest_; }
  // Calls f(waited) for all that were sent after a message that was received later. Removes them.
  template <typename F>
  void take_after(trace::Ticks sent, F&& f) {
    const auto is_wrong = [&](const Waited& waited) {
      return patterns::wrong_order(waited.wait, waited.sent, sent) > 0;
    };
    if (compatible_) {
      std::erase_if(recent_, [&](const Waited& waited) {
        if (!is_wrong(waited)) return false;
        f(waited);
        return true;
      });
      return;
    }
    for (; !in_order_.empty() && is_wrong(in_order_.back()); in_order_.pop_back()) {
      f(in_order_.back());
    }
    for (; !others_.empty() && is_wrong(others_.top()); others_.pop()) f(others_.top());
    latest_ = in_order_.empty() ? INT64_MIN : in_order_.back().sent;
    if (!others_.empty()) latest_ = std::max(latest_, others_.top().sent);
  }

 private:
  static constexpr std::size_t kCompatibleLimit = 100;  // Scalasca remembers this many

  struct Earlier {
    bool operator()(const Waited& a, const Waited& b) const { return a.sent < b.sent; }
  };
  bool compatible_;
  trace::Ticks latest_ = INT64_MIN;
  memory::Vector<Waited> in_order_;  // in the order of sending
  std::priority_queue<Waited, memory::Vector<Waited>, Earlier> others_;
  std::deque<Waited> recent_;  // as Scalasca keeps them
};

}  // namespace latecomer::replay
