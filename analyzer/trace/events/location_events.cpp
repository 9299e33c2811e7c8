// SPDX-License-Identifier: BSD-3-Clause
// Closes the regions and calls that were open when the events stopped.
#include "analyzer/trace/events/location_events.hpp"

#include <algorithm>

namespace latecomer::trace {

// A killed process was, as far as is known, in its last call until the run ended. A file that is
// cut says nothing about the time after the cut. A process that exited did not exist any more.
void LocationEvents::close(Ticks end_of_run) {
  if (events == 0) return;
  const bool lasts = complete && !stop.exited && (stop.regions > 0 || stop.unfinished());
  const Ticks end = std::max(stop.accounted, lasts ? end_of_run : stop.accounted);
  if (end > stop.accounted) {
    time[stop.node] += end - stop.accounted;
    last = std::max(last, end);
  }
  for (const auto open : stop.calls) {
    calls.change(open, [&](Call& call) { call.leave = std::max(last, call.enter); });
  }
  timeline.open(end, 0);
  if (thread_events.empty()) return;
  rest = static_cast<std::uint32_t>(calls.size());
  calls.push_back({last, last, 0, false});
}

}  // namespace latecomer::trace
