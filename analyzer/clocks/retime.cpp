// SPDX-License-Identifier: BSD-3-Clause
// Moves events. Successive events, often hundreds, need the same shift. They are moved together,
// and the data between them is not touched.
#include "analyzer/clocks/retime.hpp"

#include <algorithm>
#include <utility>

#include "analyzer/trace/definitions/definitions.hpp"

namespace latecomer::replay {
namespace {

using trace::Ticks;

// Counts `number` events that are moved by the same amount.
void count(Retimed& out, Ticks added, std::int64_t number) {
  out.events += number;
  if (added == 0) return;
  out.moved += number;
  out.largest_shift = std::max(out.largest_shift, added > 0 ? added : -added);
}

// Moves enters and leaves, and adjusts the times between them.
template <typename AnyShifts>
void retime_timeline(trace::LocationEvents& events, AnyShifts& shifts, Retimed& out) {
  trace::Timeline timeline;
  std::uint32_t node = 0;
  Ticks before = events.first, added_before = shifts.added(before);
  for (trace::Timeline::Cursor changes(events.timeline); !changes.done();) {
    const auto [time, next] = changes.next();
    const Ticks added = shifts.added(time), growth = added - added_before;
    timeline.open(time + added, next);
    count(out, added, 1);
    events.time[node] += growth;
    out.grown(growth, std::max<Ticks>(1, time - before));
    const auto taken = timeline.take(changes, shifts.until());
    count(out, added, static_cast<std::int64_t>(taken.changes));
    const bool more = taken.changes > 0;
    before = more ? taken.last.time : time;
    node = more ? taken.last.node : next;
    added_before = added;
  }
  events.timeline = std::move(timeline);
}

template <typename AnyShifts>
void retime_calls(trace::LocationEvents& events, AnyShifts& shifts) {
  using trace::CallPacking;
  const auto together = [&](CallPacking::Packed& call) {
    const Ticks added = shifts.added(call.enter);
    if (!shifts.same(trace::advanced(call.enter, call.time))) return false;
    CallPacking::move(call, added);
    return true;
  };
  events.calls.change_all(together, [&](trace::Call& call) {
    call.enter = shifts(call.enter);
    call.leave = shifts(call.leave);
  });
}

// Timeline and calls first; then all other events, which are counted with equal shifts together.
template <typename AnyShifts>
Retimed retime_all_of(trace::LocationEvents& events, AnyShifts& corrected) {
  Retimed out;
  if (events.events == 0) return out;
  // Counts events together while the shift stays the same.
  Ticks added_before = 0;
  std::int64_t number = 0;
  const auto counted = [&](Ticks added) {
    if (added != added_before) {
      count(out, added_before, std::exchange(number, 0));
      added_before = added;
    }
    ++number;
    return added;
  };
  const auto move = [&](Ticks& time) { time += counted(corrected.added(time)); };
  retime_timeline(events, corrected, out);
  retime_calls(events, corrected);
  for (auto& poll : events.polls) {
    poll.enter = corrected(poll.enter);
    poll.leave = corrected(poll.leave);
  }
  using trace::MessagePacking;
  const auto move_packed = [&](MessagePacking::Packed& message) {
    const Ticks added = corrected.added(message.time);
    if (!MessagePacking::move(message, added)) return false;
    counted(added);
    return true;
  };
  events.sends.change_all(move_packed, [&](trace::Message& send) { move(send.time); });
  for (auto& own : events.collectives) {
    if (own.kind == trace::Collective::kOpen) continue;
    move(own.begin);
    move(own.end);
  }
  for (auto& step : events.window_events) move(step.time);
  for (auto& gap : events.window_gaps) move(gap.time);
  for (auto& gap : events.receive_gaps) gap.time = corrected(gap.time);
  for (auto& event : events.thread_events) event.time = corrected(event.time);
  for (auto& task : events.tasks) {
    if (task.created != trace::TaskVisit::kUnknown) task.created = corrected(task.created);
  }
  for (auto& task : events.task_creations) task.time = corrected(task.time);
  for (auto& sample : events.sample_times) sample.time = corrected(sample.time);
  for (auto& one : events.blocked_times) one.time = corrected(one.time);
  for (auto& stretch : events.stretches) stretch.time = corrected(stretch.time);
  events.receives.change_all(
      [&](MessagePacking::Packed& receive) {
        return receive.peer == MessagePacking::kNoPeer || move_packed(receive);
      },
      [&](trace::Message& receive) {
        if (receive.peer != trace::kNone) move(receive.time);
      });
  count(out, added_before, number);
  events.first = corrected(events.first);
  events.last = corrected(events.last);
  events.stop.since = corrected(events.stop.since);
  return out;
}

}  // namespace

Retimed retime(trace::LocationEvents& events, CorrectedTimes& times, std::uint32_t process) {
  Shifts shifts(times, process);
  return retime_all_of(events, shifts);
}

Retimed retime(trace::LocationEvents& events, MovedTimes& times) {
  return retime_all_of(events, times);
}

}  // namespace latecomer::replay
