// SPDX-License-Identifier: BSD-3-Clause
// A matched message with what several who look at it ask for: looked up once.
#pragma once

#include "analyzer/replay/booking.hpp"
#include "analyzer/replay/inbox.hpp"
#include "analyzer/trace/location_events.hpp"
#include "sync/constraints.hpp"

namespace latecomer::replay {

// A hosted location whose messages come, one after the other.
struct Receiver {
  std::size_t location;  // the i-th hosted one
  const trace::LocationEvents& events;
  const std::uint32_t rank;
  const bool in_order;  // MatchedMessages::complete_in_order
};

// All of it are values, which are in no memory as long as nobody asks for their address: whoever is
// not inlined takes it by value.
struct ReceivedMessage {
  const trace::Message receive;
  const SentMessage send;
  const trace::Call call;     // that completes the receive
  const trace::Ticks posted;  // when the call that posts it was entered
  const sync::LinkClass link;
  const patterns::CallKind kind;  // of the call

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
