// SPDX-License-Identifier: BSD-3-Clause
// The stretches of a location's time in which it was measured instead of doing its work.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "analyzer/overhead/event_costs.hpp"
#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::replay {

// Walks over a location's overhead in the order of time. The cost of an event lies after its time
// stamp, that of a stack or sample before the event that follows it. Nothing is longer than the
// time between two events, so no time becomes negative:
//
//   region events cost 3, enters and leaves at 0  10  12  40
//   overhead 0..3, 10..12 (1 is missing), 12..15, 40..43 if the location goes on so long
//
// Events at the same time are taken together. Costs are fractions of a tick; what rounding leaves
// is added to the next one.
class OverheadWalk {
 public:
  using Ticks = trace::Ticks;
  // From `begin` to before `end`; never empty.
  struct Piece {
    Ticks begin = 0, end = 0;
    OverheadKind kind = OverheadKind::kMpi;
  };

  OverheadWalk(const trace::LocationEvents& events, const PathCosts& costs);

  // The next piece; its begin is kNoMore after the last one.
  static constexpr Ticks kNoMore = INT64_MAX;
  [[nodiscard]] const Piece& piece() const { return piece_; }
  void step();

  // Calls f(begin, end, kind) for the overhead before `time` that was not passed yet.
  template <typename F>
  void go_on_to(Ticks time, F&& f) {
    while (piece_.begin < time) {
      const Ticks end = std::min(piece_.end, time);
      f(piece_.begin, end, piece_.kind);
      if (end < piece_.end) {
        piece_.begin = end;
      } else {
        step();
      }
    }
  }
  // Costs for which there was no time between events, in ticks.
  [[nodiscard]] Ticks missing() const { return missing_ >> EventCosts::kFractionBits; }

 private:
  static constexpr std::uint32_t kRoot = 0;
  void next_gap();
  [[nodiscard]] int new_stacks_at(Ticks time);
  // Whole ticks of a cost; the rest is added to the next one.
  Ticks in_ticks(EventCosts::Cost cost) {
    fraction_ += cost;
    const Ticks whole = fraction_ >> EventCosts::kFractionBits;
    fraction_ -= whole << EventCosts::kFractionBits;
    return whole;
  }
  void add(Ticks begin, Ticks end, OverheadKind kind) {
    if (begin < end) found_[count_++] = {begin, end, kind};
  }

  const trace::LocationEvents& events_;
  const PathCosts& costs_;
  trace::Timeline::Cursor cursor_;
  trace::Timeline::Change now_, next_;  // the change before the gap, and the one after it
  bool over_ = false;                   // no gap follows
  std::vector<bool> visited_;
  std::size_t sample_ = 0;
  EventCosts::Cost after_ = 0, fraction_ = 0, missing_ = 0;  // after_: of events at now_.time
  OverheadKind after_kind_ = OverheadKind::kMpi;
  std::array<Piece, 3> found_;
  std::size_t count_ = 0, taken_ = 0;
  Piece piece_;
};

}  // namespace latecomer::replay
