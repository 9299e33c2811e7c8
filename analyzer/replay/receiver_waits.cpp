// SPDX-License-Identifier: BSD-3-Clause
// Receives come in the order of posting; waits are looked for in the order of completion.
#include "analyzer/replay/receiver_waits.hpp"

#include <algorithm>
#include <deque>
#include <queue>
#include <tuple>

#include "patterns/late_sender.hpp"
#include "patterns/wrong_order.hpp"

namespace latecomer::replay {
namespace {

constexpr std::size_t kCompatibleLimit = 100;  // late senders that the base remembers

}  // namespace

// Late senders whose messages may turn out to have been received too early.
class ReceiverWaits::WrongOrder {
 public:
  WrongOrder(ReceiverWaits& waits) : waits_(waits) {}

  void add(const Received& received) {
    const Waited waited{received.call,  received.receive, received.source,
                        received.empty, received.wait,    received.sent};
    if (waits_.compatible_) {
      recent_.push_back(waited);
      if (recent_.size() > kCompatibleLimit) recent_.pop_front();
    } else {
      by_sending_.push(waited);
    }
  }
  // Everything that was sent after this message is in wrong order.
  void check(const Received& now) {
    while (!by_sending_.empty() &&
           patterns::wrong_order(by_sending_.top().wait, by_sending_.top().sent, now.sent) > 0) {
      waits_.book_wrong_order(by_sending_.top(), by_sending_.top().source == now.source);
      by_sending_.pop();
    }
    if (!waits_.compatible_) return;
    std::erase_if(recent_, [&](const Waited& waited) {
      if (patterns::wrong_order(waited.wait, waited.sent, now.sent) == 0) return false;
      waits_.book_wrong_order(waited, waited.source == now.source);
      return true;
    });
  }

 private:
  struct Earlier {
    bool operator()(const Waited& a, const Waited& b) const { return a.sent < b.sent; }
  };
  ReceiverWaits& waits_;
  std::priority_queue<Waited, memory::Vector<Waited>, Earlier> by_sending_;
  std::deque<Waited> recent_;  // of the base
};

ReceiverWaits::ReceiverWaits(Booking& booking, causes::SyncPoints& points, const Polls& polls,
                             Probes& probes, bool scalasca_compatible)
    : booking_(booking),
      points_(points),
      polls_(polls),
      probes_(probes),
      compatible_(scalasca_compatible),
      late_senders_(booking.mine.size()) {}
ReceiverWaits::~ReceiverWaits() = default;

void ReceiverWaits::on_message(const ReceivedMessage& message) {
  const auto& [location, events, receive, send, call, posted, link, in_order] = message;
  if (location != location_) {
    end_location();
    // What comes in order need not be kept until the last one is there.
    location_ = location;
    in_order_ = probes_.none() && in_order;
    wrong_order_ = std::make_unique<WrongOrder>(*this);
  }
  if (send.time > receive.time) {
    booking_.violation(
        location, call, send.time - receive.time, false,
        booking_.metahost_of(send.source) != booking_.metahost_of(booking_.rank_of(location)));
  }
  const bool test = booking_.kind_of(call) == patterns::CallKind::kTest;
  const trace::Ticks polled = test ? polls_.time(location, receive.call, posted, send.enter) : 0;
  const trace::Ticks here =
      test && compatible_ ? 0 : patterns::late_sender(call.enter, call.leave, send.enter);
  // The message was there when it was asked for: what was waited for it was waited before.
  const auto probed = probes_.take(location, receive, send);
  const bool in_probe = probed.wait > 0;
  const std::uint32_t waiting = in_probe ? probed.call : receive.call;
  if (in_order_ && !received_.empty() && received_.back().call != waiting) end_calls();
  // In place: a copy of what has just been stored would wait for that.
  Received& received = received_.emplace_back();
  received.call = waiting;
  received.receive = receive.call;
  received.probed = in_probe;
  received.source = send.source;
  received.source_location = send.location;
  received.send = send.index;
  received.received = receive.time;
  received.sent = send.time;
  received.sender_entered = send.enter;
  received.wait = in_probe ? probed.wait : here + polled;
  received.polled = in_probe ? probed.polled : polled;
  received.posted = in_probe ? INT64_MIN : posted;
  received.empty = receive.size == 0;
}

void ReceiverWaits::book(const Received& received) {
  const auto& call = booking_.mine[location_].calls[received.call];
  const auto cause = booking_.metahost_of(received.source);
  const bool grid = cause != booking_.metahost_of(booking_.rank_of(location_));
  const auto& map = booking_.map;
  const PollRows& rows = received.probed ? static_cast<const PollRows&>(probes_) : polls_;
  rows.book(booking_, map.late_sender, {location_, call, received.wait, grid, received.source},
            received.call, received.polled, received.posted, received.sender_entered);
  booking_.add(received.empty ? map.late_sender_syncs : map.late_sender_comms, location_,
               booking_.mine[location_].calls[received.receive].node, 1);
  late_senders_[location_].push_back({received.call, received.source, received.wait});
  points_.add_pair({.location = static_cast<std::uint32_t>(location_),
                    .call = received.call,
                    .cause_location = received.source_location,
                    .cause_call = received.send,
                    .kind = patterns::WaitKind::kLateSender,
                    .wait = received.wait,
                    .polled = received.polled,
                    .begin = call.enter,
                    .event = received.sender_entered,
                    .leave = call.leave},
                   causes::CauseIndex::kSend);
}

void ReceiverWaits::book_wrong_order(const Waited& waited, bool same_source) {
  const auto& call = booking_.mine[location_].calls[waited.call];
  const bool grid =
      booking_.metahost_of(waited.source) != booking_.metahost_of(booking_.rank_of(location_));
  const auto& map = booking_.map;
  const Booking::Part part{location_, call, waited.wait, grid};
  booking_.part(map.wrong_order, part);
  booking_.part(same_source ? map.wrong_order_same : map.wrong_order_different, part);
  booking_.add(waited.empty ? map.wrong_order_syncs : map.wrong_order_comms, location_,
               booking_.mine[location_].calls[waited.receive].node, 1);
}

void ReceiverWaits::end_location() {
  if (location_ == SIZE_MAX) return;
  end_calls();
  location_ = SIZE_MAX;
}

// A call that completes several receives books its longest wait once; ties go to the lowest rank.
void ReceiverWaits::end_calls() {
  const auto completed_before = [](const Received& a, const Received& b) {
    return std::tie(a.call, a.received) < std::tie(b.call, b.received);
  };
  if (received_.size() > 1 && !std::ranges::is_sorted(received_, completed_before)) {
    std::ranges::stable_sort(received_, completed_before);
  }
  for (std::size_t first = 0; first < received_.size();) {
    std::size_t last = first;
    const Received* longest = nullptr;
    for (; last < received_.size() && received_[last].call == received_[first].call; ++last) {
      const Received& r = received_[last];
      wrong_order_->check(r);
      if (r.wait > 0 && (longest == nullptr || r.wait > longest->wait ||
                         (r.wait == longest->wait && r.source < longest->source))) {
        longest = &r;
      }
    }
    if (longest != nullptr) {
      book(*longest);
      wrong_order_->add(*longest);
    }
    first = last;
  }
  received_.clear();
}

}  // namespace latecomer::replay
