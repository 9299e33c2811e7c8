// SPDX-License-Identifier: BSD-3-Clause
// Gives all events of a location other times.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "analyzer/trace/location_events.hpp"

namespace latecomer::replay {

// What the change was like; sums and maxima over locations.
struct Retimed {
  std::int64_t events = 0, moved = 0;  // of enters, leaves and records of communication
  trace::Ticks largest_shift = 0;
  trace::Ticks largest_growth = 0;  // of the time between an enter or leave and the next one
  std::int64_t distortion_ppm = 0;  // the same, in millionths of that time

  // The time between two events, `length` before, grew by so much.
  void grown(trace::Ticks growth, trace::Ticks length) {
    if (growth <= 0) return;
    largest_growth = std::max(largest_growth, growth);
    // Divisions, which take longer than all the rest, only for a new maximum.
    __extension__ using Wide = __int128;
    constexpr std::int64_t kMillion = 1'000'000;
    if (Wide{growth} * kMillion < Wide{distortion_ppm + 1} * length) return;
    distortion_ppm = growth / length * kMillion + growth % length * kMillion / length;
  }

  Retimed& operator+=(const Retimed& other) {
    events += other.events;
    moved += other.moved;
    largest_shift = std::max(largest_shift, other.largest_shift);
    largest_growth = std::max(largest_growth, other.largest_growth);
    distortion_ppm = std::max(distortion_ppm, other.distortion_ppm);
    return *this;
  }
};

// `corrected(t)` never decreases. Times of call paths are summed again.
template <typename Corrected>
Retimed retime(trace::LocationEvents& events, Corrected&& corrected) {
  using trace::Ticks;
  Retimed out;
  if (events.events == 0) return out;
  const auto move = [&](Ticks& time) {
    const Ticks now = corrected(time);
    ++out.events;
    if (now != time) {
      ++out.moved;
      out.largest_shift = std::max(out.largest_shift, now > time ? now - time : time - now);
      time = now;
    }
  };
  // Enters and leaves, and what lies between them.
  std::ranges::fill(events.time, 0);
  std::uint32_t node = 0;
  Ticks before = events.first;
  Ticks before_now = corrected(before);
  trace::Timeline timeline;
  events.timeline.for_each([&](Ticks time, std::uint32_t next) {
    Ticks now = time;
    move(now);
    timeline.open(now, next);
    events.time[node] += now - before_now;
    out.grown((now - before_now) - (time - before), std::max<Ticks>(1, time - before));
    node = next;
    before = time;
    before_now = now;
  });
  events.timeline = std::move(timeline);
  events.calls.change_all([&](trace::Call& call) {
    call.enter = corrected(call.enter);
    call.leave = corrected(call.leave);
  });
  for (auto& poll : events.polls) {
    poll.enter = corrected(poll.enter);
    poll.leave = corrected(poll.leave);
  }
  events.sends.change_all([&](trace::Message& send) { move(send.time); });
  for (auto& own : events.collectives) {
    if (own.kind == trace::Collective::kOpen) continue;
    move(own.begin);
    move(own.end);
  }
  for (auto& step : events.window_events) move(step.time);
  for (auto& gap : events.window_gaps) move(gap.time);
  for (auto& gap : events.receive_gaps) gap.time = corrected(gap.time);
  for (auto& event : events.thread_events) event.time = corrected(event.time);
  events.receives.change_all([&](trace::Message& receive) {
    if (receive.peer != trace::kNone) move(receive.time);
  });
  events.first = corrected(events.first);
  events.last = corrected(events.last);
  events.stop.since = corrected(events.stop.since);
  return out;
}

}  // namespace latecomer::replay
