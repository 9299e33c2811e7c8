// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/causes/call_path_times.hpp"

#include <algorithm>

namespace latecomer::causes {
namespace {

constexpr std::size_t kStride = 32;          // changes per mark
constexpr std::size_t kSumStride = 4096;     // changes per sum, if there are few nodes
constexpr std::size_t kChangesPerNode = 16;  // at least, so sums need less than the timeline

}  // namespace

CallPathTimes::CallPathTimes(const trace::LocationEvents& events,
                             const std::vector<SyncPoint>& points)
    : events_(events), points_(points), mark_of_(points.size()), waits_(points.size() + 1) {
  for (std::size_t i = 0; i < points.size(); ++i) waits_[i + 1] = waits_[i] + points[i].wait;
  const std::size_t per_sum =
      std::max(kSumStride, events.time.size() * kChangesPerNode) / kStride * kStride;
  std::vector<Ticks> own(events.time.size());
  std::uint32_t ended = 0, entered = 0;
  Mark at{trace::Timeline::Cursor(events.timeline), events.first, 0};
  for (std::size_t changes = 0; !at.cursor.done(); ++changes) {
    if (changes % kStride == 0) {
      for (; !marks_.empty() && entered < points.size() &&
             events.calls[points[entered].call].enter < at.time;
           ++entered) {
        mark_of_[entered] = static_cast<std::uint32_t>(marks_.size()) - 1;
      }
      marks_.push_back(at);
    }
    if (changes % per_sum == 0 && changes != 0) {
      for (; ended < points.size() && events.calls[points[ended].call].leave <= at.time; ++ended) {
        own[events.calls[points[ended].call].node] -= points[ended].wait;
      }
      sums_.push_back({marks_.size() - 1, ended, own});
    }
    const auto change = at.cursor.next();
    own[at.node] += change.time - at.time;
    at.time = change.time;
    at.node = change.node;
  }
  for (; entered < points.size() && !marks_.empty(); ++entered) {
    mark_of_[entered] = static_cast<std::uint32_t>(marks_.size()) - 1;
  }
}

// Starts at a mark that is not behind `from`.
void CallPathTimes::read(Mark at, Ticks from, Ticks to, NodeTimes& times) const {
  if (from >= to) return;
  Ticks now = std::max(from, at.time);
  while (!at.cursor.done()) {
    const auto change = at.cursor.next();
    if (change.time > now) {
      times.add(at.node, std::min(change.time, to) - now);
      now = change.time;
      if (now >= to) return;
    }
    at.node = change.node;
  }
}

void CallPathTimes::take_off(std::uint32_t first, std::uint32_t last, NodeTimes& times) const {
  for (auto i = first; i < last; ++i) {
    if (points_[i].wait != 0) {
      times.add(events_.calls[points_[i].call].node, -points_[i].wait);
    }
  }
}

void CallPathTimes::add_all(Ticks from, Ticks to, NodeTimes& times) const {
  if (marks_.empty()) return;
  const auto after = std::ranges::upper_bound(marks_, from, {}, &Mark::time);
  read(after == marks_.begin() ? marks_.front() : *(after - 1), from, to, times);
}

void CallPathTimes::add_own(std::uint32_t point, const Span& span, NodeTimes& to) const {
  if (marks_.empty()) return;
  const Mark& start = marks_[mark_of_[point]];
  const auto time_of = [&](const Sum& sum) { return marks_[sum.mark].time; };
  const auto low = std::ranges::lower_bound(sums_, span.from, {}, time_of);
  const auto high = std::ranges::upper_bound(sums_, span.to, {}, time_of);
  if (high - low < 2 || low->points < span.first || (high - 1)->points > span.last) {
    read(start, span.from, span.to, to);
    take_off(span.first, span.last, to);
    return;
  }
  const auto& end = *(high - 1);
  read(start, span.from, time_of(*low), to);
  take_off(span.first, low->points, to);
  for (std::uint32_t node = 0; node < end.own.size(); ++node) {
    if (const Ticks time = end.own[node] - low->own[node]; time != 0) to.add(node, time);
  }
  read(marks_[end.mark], time_of(end), span.to, to);
  take_off(end.points, span.last, to);
}

}  // namespace latecomer::causes
