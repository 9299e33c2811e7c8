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
  const trace::Ticks posted;  // enter of posting()
  const sync::LinkClass link;
  const patterns::CallKind kind;  // kind of `call`

  ReceivedMessage(const Receiver& receiver, const trace::Message& receive, const SentMessage& send,
                  const sync::Topology& topology, const Booking& booking)
      : receive(receive),
        send(send),
        call(receiver.events.calls[receive.call]),
        posted(is_posted_at_once(receive, receiver, booking)
                   ? call.enter
                   : receiver.events.calls[receive.other].enter),
        link(topology.link(send.source, receiver.rank)),
        kind(booking.kind_of(call)) {}

  // The call that posts the receive; kNone: not known, or by another thread.
  [[nodiscard]] std::uint32_t posting() const {
    return receive.other != trace::kNone && posted == call.enter ? receive.call : receive.other;
  }

 private:
  // MPI_Mprobe takes a message from the order of its channel, so that the receive has its place in
  // the trace there. But its data may come only when MPI_Mrecv asks for them. For a message that
  // MPI_Wait completes, the MPI_Imrecv that asked for it is not known.
  [[nodiscard]] static bool is_posted_at_once(const trace::Message& receive,
                                              const Receiver& receiver, const Booking& booking) {
    using enum patterns::CallKind;
    if (receive.other == trace::kNone || receive.other == receive.call) return true;
    if (!booking.map.probes) return false;
    const auto posting = booking.kind_of(receiver.events.calls[receive.other]);
    return (posting == kProbe || posting == kProbeNow) &&
           booking.kind_of(receiver.events.calls[receive.call]) == kOther;
  }
};

}  // namespace latecomer::replay
