// SPDX-License-Identifier: BSD-3-Clause
// A matched message with what several who look at it ask for: looked up once.
#pragma once

#include "analyzer/replay/inbox.hpp"
#include "analyzer/trace/location_events.hpp"
#include "sync/constraints.hpp"

namespace latecomer::replay {

struct ReceivedMessage {
  std::size_t location;  // the i-th hosted one, which received it
  const trace::LocationEvents& events;
  const trace::Message& receive;
  const SentMessage& send;
  const trace::Call call;     // that completes the receive
  const trace::Ticks posted;  // when the call that posts it was entered
  const sync::LinkClass link;
  const bool in_order;  // MatchedMessages::complete_in_order of the location

  ReceivedMessage(std::size_t location, const trace::LocationEvents& events,
                  const trace::Message& receive, const SentMessage& send,
                  const sync::Topology& topology, bool in_order)
      : location(location),
        events(events),
        receive(receive),
        send(send),
        call(events.calls[receive.call]),
        posted(receive.other == trace::kNone || receive.other == receive.call
                   ? call.enter
                   : events.calls[receive.other].enter),
        link(topology.link(send.source, send.target)),
        in_order(in_order) {}
};

}  // namespace latecomer::replay
