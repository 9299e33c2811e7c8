// SPDX-License-Identifier: BSD-3-Clause
// Walks along samples and changes of the open region together.
#include "analyzer/scenes/sampled_slices.hpp"

#include <algorithm>

namespace latecomer::replay {
namespace {

using trace::kNone;
using trace::Ticks;

// The time that a sample stands for.
Ticks period_of(const trace::Definitions& definitions, const trace::SampleTime& sample) {
  if (sample.clock == kNone) return 0;
  constexpr double kNano = 1e9;
  return static_cast<Ticks>(static_cast<double>(definitions.sample_clocks[sample.clock].period) *
                            static_cast<double>(definitions.ticks_per_second) / kNano);
}

}  // namespace

std::vector<SampledSlice> sampled_slices(const trace::Definitions& definitions,
                                         const trace::LocationEvents& events) {
  std::vector<SampledSlice> out;
  trace::Timeline::Cursor changes(events.timeline);
  Ticks changed = events.first, until = changed;
  trace::Timeline::Change next;
  bool has_next = false;
  for (const auto& sample : events.sample_times) {
    // Samples are far apart: whole chunks of changes between two of them need not be read.
    const auto near = events.timeline.start_before(sample.time);
    if (near.cursor.place().chunk > changes.place().chunk) {
      changes = near.cursor;
      changed = std::max(changed, near.last.time);
      has_next = false;
    }
    for (;;) {
      if (!has_next && !changes.done()) {
        next = changes.next();
        has_next = true;
      }
      if (!has_next || next.time > sample.time) break;
      changed = std::max(changed, next.time);
      has_next = false;
    }
    const Ticks period = period_of(definitions, sample);
    if (period <= 0) continue;
    // Timers are not exact: a short gap after the sample before is none.
    const bool follows = !out.empty() && until >= changed && sample.time - until <= period * 3 / 2;
    const Ticks begin = follows ? until : std::max({sample.time - period, changed, until});
    const auto& place = events.sampled[sample.place];
    until = std::max(until, sample.time);
    if (sample.time <= begin) continue;
    if (follows && out.back().end == begin && out.back().node == place.node &&
        out.back().at == place.at) {
      out.back().end = sample.time;
      ++out.back().samples;
    } else {
      out.push_back({begin, sample.time, place.node, place.at, 1, place.source});
    }
  }
  return out;
}

}  // namespace latecomer::replay
