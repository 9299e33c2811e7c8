// SPDX-License-Identifier: BSD-3-Clause
// Books late senders. Receives come in the order of posting; waits are found in the order of
// completion.
#include "analyzer/waits/receiver_waits.hpp"

#include <algorithm>

namespace latecomer::replay {

ReceiverWaits::ReceiverWaits(Booking& booking, causes::SyncPoints& points, const Polls& polls,
                             Probes& probes, bool scalasca_compatible)
    : booking_(booking),
      points_(points),
      polls_(polls),
      probes_(probes),
      compatible_(scalasca_compatible),
      wrong_order_(scalasca_compatible),
      late_senders_(booking.mine.size()) {}

void ReceiverWaits::start(const Receiver& to) {
  location_ = to.location;
  in_order_ = probes_.none() && to.in_order;
  wrong_order_.clear();
}

void ReceiverWaits::book_violation(ReceivedMessage message) {
  booking_.violation(location_, message.call, message.send.time - message.receive.time, false,
                     booking_.metahost_of(message.send.source) !=
                         booking_.metahost_of(booking_.rank_of(location_)));
}

// Handles receives in tests, and receives that probes may have waited for.
void ReceiverWaits::on_any(ReceivedMessage message) {
  const auto& [receive, send, call, posted, link, kind] = message;
  const bool test = kind == patterns::CallKind::kTest;
  const Ticks polled = test ? polls_.time(location_, receive.call, posted, send.enter) : 0;
  const Ticks here =
      test && compatible_ ? 0 : patterns::late_sender(call.enter, call.leave, send.enter);
  Received one = received(message, receive.call, here + polled);
  one.polled = polled;
  // The message was there when its receive was called, so the wait was in the probe.
  if (const auto probed = probes_.take(location_, receive, send); probed.wait > 0) {
    one.call = probed.call;
    one.probed = true;
    one.wait = probed.wait;
    one.polled = probed.polled;
    one.posted = INT64_MIN;
  }
  if (in_order_) {
    add(one.call, one.source, one.received, one.sent, one.wait, [&](Ticks) { return one; });
  } else {
    received_.push_back(one);
  }
}

void ReceiverWaits::book(const Received& received) {
  const auto& call = booking_.mine[location_].calls[received.call];
  const auto cause = booking_.metahost_of(received.source);
  const bool grid = cause != booking_.metahost_of(booking_.rank_of(location_));
  const auto& map = booking_.map;
  const PollRows& rows = received.probed ? static_cast<const PollRows&>(probes_) : polls_;
  rows.book(booking_, map[patterns::WaitState::kLateSender],
            {location_, call, received.wait, grid, received.source}, received.call, received.polled,
            received.posted, received.sender_entered);
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

void ReceiverWaits::book_wrong_order(const LateSenders::Waited& waited, bool same_source) {
  const auto& call = booking_.mine[location_].calls[waited.call];
  const bool grid =
      booking_.metahost_of(waited.source) != booking_.metahost_of(booking_.rank_of(location_));
  const auto& map = booking_.map;
  const Booking::Part part{location_, call, waited.wait, grid};
  booking_.part(map[patterns::WaitState::kWrongOrder], part);
  booking_.part(same_source ? map[patterns::WaitState::kWrongOrderSame]
                            : map[patterns::WaitState::kWrongOrderDifferent],
                part);
  booking_.add(waited.empty ? map.wrong_order_syncs : map.wrong_order_comms, location_,
               booking_.mine[location_].calls[waited.receive].node, 1);
}

void ReceiverWaits::end() {
  const auto call_of = [](const Received& one) { return one.call; };
  if (!std::ranges::is_sorted(received_, {}, call_of)) {
    std::ranges::stable_sort(received_, {}, call_of);
  }
  for (const Received& one : received_) {
    add(one.call, one.source, one.received, one.sent, one.wait, [&](Ticks) { return one; });
  }
  received_.clear();
  end_call();
  call_ = trace::kNone;
}

// Books the longest wait of a call that completes several receives.
void ReceiverWaits::end_call() {
  if (!before_.empty()) {
    std::ranges::stable_sort(before_, {}, &Before::received);
    for (const Before& now : before_) {
      wrong_order_.take_after(now.sent, [&](const LateSenders::Waited& waited) {
        book_wrong_order(waited, waited.source == now.source);
      });
    }
    before_.clear();
  }
  if (longest_.wait == 0) return;
  book(longest_);
  wrong_order_.add({longest_.call, longest_.receive, longest_.source, longest_.empty, longest_.wait,
                    longest_.sent});
  longest_ = {};
}

}  // namespace latecomer::replay
