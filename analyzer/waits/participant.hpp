// SPDX-License-Identifier: BSD-3-Clause
// A participation in a collective operation, with the values that several analyses need. They are
// looked up once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::replay {

// References must live as long as the object.
struct Participant {
  const std::size_t location;  // index of the hosted location
  const trace::LocationEvents& events;
  const trace::Collective& own;
  const trace::CollectiveKind& kind;
  const trace::Call call;  // the call that completes the operation
  // Begin of waiting. In nonblocking operations the process waits from its entry into that call.
  const trace::Ticks begin;

  Participant(std::size_t location, const std::vector<trace::LocationEvents>& mine,
              const trace::Collective& own)
      : location(location),
        events(mine[location]),
        own(own),
        kind(events.kinds[own.kind]),
        call(events.calls[own.call]),
        begin(kind.nonblocking ? std::max(own.begin, call.enter) : own.begin) {}
};

}  // namespace latecomer::replay
