// SPDX-License-Identifier: BSD-3-Clause
// Sums of call-path times at intervals along a timeline, and the reading of spans between them.
#include "analyzer/causes/call_path_times.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace latecomer::causes {
namespace {

constexpr std::size_t kSumStride = 4096;     // changes per sum, if there are few nodes
constexpr std::size_t kChangesPerNode = 16;  // at least; sums then need less than the timeline

}  // namespace

CallPathTimes::CallPathTimes(const trace::LocationEvents& events, std::span<SyncPoint> points)
    : events_(events),
      points_(points),
      idles_(std::ranges::any_of(
          points, [](const SyncPoint& p) { return p.kind == WaitKind::kIdleThread; })),
      plain_(std::ranges::all_of(points, [](const SyncPoint& p) { return p.plain != 0; })),
      placed_(static_cast<std::uint32_t>(points.size())),
      waits_(points.size() / kWaitStride + 1) {
  Ticks waits = 0;
  for (std::size_t i = 0; i <= points.size(); ++i) {
    if (i % kWaitStride == 0) waits_[i / kWaitStride] = waits;
    if (i < points.size()) waits += points[i].wait;
  }
}

void CallPathTimes::place_from(std::size_t number) const {
  if (!placing_) placing_ = walk();
  while (placing_->point > number) {
    const Ticks enter = events_.calls[points_[--placing_->point].call].enter;
    placing_->at.back_to(enter, [](std::uint32_t, Ticks) {});
    place(placing_->point, placing_->at, enter);
  }
}

// One walk over the timeline. A sum is stored at the first chunk after so many words. Waits of
// points that have begun are already subtracted.
const std::vector<CallPathTimes::Sum>& CallPathTimes::sums() const {
  if (std::exchange(has_sums_, true)) return sums_;
  const trace::Timeline& timeline = events_.timeline;
  const std::size_t per_sum = std::max(kSumStride, events_.time.size() * kChangesPerNode);
  std::vector<Ticks> own(events_.time.size());
  if (!own.empty()) own[0] = -events_.first;
  Ticks last = 0;  // start value must be that of the walk that placed the points
  std::uint32_t open = 0, begun = 0;
  std::size_t since_sum = 0;  // counted in words, which are at least as many as changes
  for (std::uint32_t chunk = 0; chunk < timeline.chunks(); ++chunk) {
    for (; begun < points_.size() && place_before(begun).chunk < chunk; ++begun) {
      own[node_of_wait(points_[begun])] -= points_[begun].wait;
    }
    if (since_sum >= per_sum) {
      since_sum = 0;
      sums_.push_back({{{{chunk, 0}, open, last}, last}, begun, own});
    }
    since_sum += timeline.used(chunk);
    timeline.for_chunk(chunk, last, [&](Ticks time, std::uint32_t node, trace::Timeline::Place) {
      own[open] += time - last;
      last = time;
      open = node;
    });
  }
  return sums_;
}

CallPathTimes::Start CallPathTimes::odd_start_of(std::size_t point) const {
  const auto found =
      std::ranges::lower_bound(odd_, point, std::greater(), [](const auto& o) { return o.first; });
  return {found->second, found->second.last};
}

// Adds the part of each change that lies in [from, to).
void CallPathTimes::read(const Start& start, Ticks from, Ticks to, NodeTimes& times) const {
  if (from >= to) return;
  Ticks now = std::max(from, start.time);
  std::uint32_t node = start.mark.node;
  trace::Timeline::Cursor cursor(events_.timeline, start.mark.place, start.mark.last);
  if (cursor.done()) return;
  auto change = cursor.next();
  for (; change.time <= now; change = cursor.next()) {
    node = change.node;
    if (cursor.done()) return;
  }
  NodeTimes::Adding adding(times);  // most steps of the whole analysis are taken here
  while (change.time < to) {
    if (change.time != now) adding.add(node, change.time - now);
    now = change.time;
    node = change.node;
    if (cursor.done()) return;
    change = cursor.next();
  }
  adding.add(node, to - now);
}

void CallPathTimes::take_off(std::uint32_t first, std::uint32_t last, NodeTimes& times) const {
  for (auto i = first; i < last; ++i) {
    if (points_[i].wait != 0) {
      times.add(node_of_wait(points_[i]), -points_[i].wait);
    }
  }
}

// The latest of three candidates: the start of the timeline, the chunk before `from`, and the last
// point before it.
CallPathTimes::Start CallPathTimes::start_before(Ticks from) const {
  Start start{{trace::Timeline::Cursor(events_.timeline).place(), 0, 0}, events_.first};
  const auto later = [&](const Start& other) {
    if (other.time >= start.time) start = other;
  };
  const auto chunk = events_.timeline.start_before(from);
  if (const auto place = chunk.cursor.place(); place != start.mark.place) {
    later({{place, chunk.last.node, chunk.last.time}, chunk.last.time});
  }
  // Plain points end in the order in which they begin. The point before the search's end was over
  // by then, so it had begun, and the calls need not be read. In a call, or in a region of a
  // thread, points need not end in their order. The point found may then be an earlier one than the
  // last.
  const auto point = plain_ ? std::ranges::upper_bound(points_, from, {}, &SyncPoint::over)
                            : std::ranges::upper_bound(points_, from, {}, [&](const SyncPoint& p) {
                                return events_.calls[p.call].enter;
                              });
  if (point != points_.begin()) {
    later(start_of(static_cast<std::size_t>(point - points_.begin()) - 1));
  }
  return start;
}

void CallPathTimes::add_all(Ticks from, Ticks to, NodeTimes& times) const {
  if (idles_) {
    const auto next = std::ranges::upper_bound(
        points_, from, {}, [&](const SyncPoint& p) { return events_.calls[p.call].enter; });
    if (next != points_.end() && next->kind == WaitKind::kIdleThread && next->over <= from) {
      const auto& call = events_.calls[next->call];
      times.add(call.node, std::min(call.enter, to) - from);
      from = call.enter;
    }
  }
  read(start_before(from), from, to, times);
}

// Reads the span only up to the first sum in it and after the last one. The times in between are
// the difference of the two sums.
void CallPathTimes::add_own(const Start& start, const Span& span, NodeTimes& to) const {
  const auto read_all = [&] {
    read(start, span.from, span.to, to);
    take_off(span.first, span.last, to);
  };
  // Sums exist only at the beginnings of chunks. A span within two chunks contains no pair of them.
  const auto end_chunk = events_.timeline.start_before(span.to).cursor.place().chunk;
  if (end_chunk < start.mark.place.chunk + std::uint64_t{2}) return read_all();
  const auto time_of = [](const Sum& sum) { return sum.at.time; };
  const auto low = std::ranges::lower_bound(sums(), span.from, {}, time_of);
  const auto high = std::ranges::upper_bound(low, sums().end(), span.to, {}, time_of);
  if (high - low < 2 || low->points < span.first || (high - 1)->points > span.last) {
    return read_all();
  }
  const auto& end = *(high - 1);
  read(start, span.from, low->at.time, to);
  take_off(span.first, low->points, to);
  for (std::uint32_t node = 0; node < end.own.size(); ++node) {
    if (const Ticks time = end.own[node] - low->own[node]; time != 0) to.add(node, time);
  }
  read(end.at, end.at.time, span.to, to);
  take_off(end.points, span.last, to);
}

}  // namespace latecomer::causes
