// SPDX-License-Identifier: BSD-3-Clause
// A participation in a collective operation with what several who look at it ask for: looked up
// once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "analyzer/trace/location_events.hpp"

namespace latecomer::replay {

struct Participant {
  const std::size_t location;  // the i-th hosted one
  const trace::LocationEvents& events;
  const trace::Collective& own;
  const trace::CollectiveKind& kind;
  const trace::Call call;  // that completes the operation
  // From when on the process waits: in nonblocking operations from its entry into that call.
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
