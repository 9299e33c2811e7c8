// SPDX-License-Identifier: BSD-3-Clause
// A matched message, with the values that several analyses need. They are looked up once.
#pragma once

#include "analyzer/booking/booking.hpp"
#include "analyzer/match/inbox.hpp"
#include "analyzer/trace/events/location_events.hpp"
#include "sync/constraints.hpp"

namespace latecomer::replay {

// The hosted location whose messages are visited.
struct Receiver {
  std::size_t location;  // index of the hosted location
  const trace::LocationEvents& events;
  const std::uint32_t rank;
  const bool in_order;  // MatchedMessages::complete_in_order
};

// All members are values, which stay in registers unless code needs their address. Functions that
// are not inlined therefore take the object by value.
struct ReceivedMessage {
  const trace::Message receive;
  const SentMessage send;
  const trace::Call call;     // the call that completes the receive
  const trace::Ticks posted;  // enter of the call that posts the receive
  const sync::LinkClass link;
  const patterns::CallKind kind;  // kind of `call`

  ReceivedMessage(const Receiver& receiver, const trace::Message& receive, const SentMessage& send,
                  const sync::Topology& topology, const Booking& booking)
      : receive(receive),
        send(send),
        call(receiver.events.calls[receive.call]),
        posted(receive.other == trace::kNone || receive.other == receive.call
                   ? call.enter
                   : receiver.events.calls[receive.other].enter),
        link(topology.link(send.source, receiver.rank)),
        kind(booking.kind_of(call)) {}
};

}  // namespace latecomer::replay
