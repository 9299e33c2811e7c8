// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/causes/point_times.hpp"

#include <algorithm>
#include <bit>

namespace latecomer::causes {

PointTimes::PointTimes(const CallPathTimes& times, std::size_t nodes, std::size_t room)
    : times_(times), nodes_(nodes), lowest_(static_cast<std::uint32_t>(times.points().size())) {
  const std::size_t points = std::bit_floor(std::min(room, std::bit_ceil(times.points().size())));
  if (points < 2) return;
  mask_ = static_cast<std::uint32_t>(points - 1);
  begins_.resize(points);
  rows_.resize(points * nodes);
}

bool PointTimes::put_own(std::uint32_t point, const Span& span, NodeTimes& to) {
  const Points points = times_.points();
  if (mask_ == 0 || span.last >= points.size() || span.last <= point) return false;
  if (span.last - point > mask_ / 2) return false;
  if (point < lowest_) extend_to(point);
  if (span.last - lowest_ > mask_) return false;
  const Begin &first = begin(point), &last = begin(span.last);
  if (!first.has(span.from) || !last.has(span.to) || first.odd != last.odd) return false;
  to.put_difference(row(point), row(span.last), nodes_);
  Ticks waits = 0;  // of points that are not in the span
  for (auto i = point; i < span.first; ++i) waits += points[i].wait;
  to.add(points[point].node, first.enter - span.from + waits);
  to.add(points[span.last].node, span.to - last.enter);
  return true;
}

void PointTimes::extend_to(std::uint32_t point) {
  const Points points = times_.points();
  if (lowest_ == points.size()) {
    --lowest_;
    begin(lowest_) = {.waits = points[lowest_].wait, .call = points[lowest_].call};
    std::fill_n(row(lowest_), nodes_, 0);
  }
  while (lowest_ > point) {
    const Begin& next = begin(lowest_);
    const Ticks* const times_of_next = row(lowest_);
    --lowest_;
    const SyncPoint& here = points[lowest_];
    Ticks* const times = row(lowest_);
    std::copy_n(times_of_next, nodes_, times);
    auto [plain, enter, passed] = times_.add_up_to_next(lowest_, times);
    times[here.node] -= here.wait;
    Ticks waits = here.wait;
    if (next.call == here.call) {
      passed = std::max(passed, next.passed);
      waits += next.waits;
    }
    const bool odd = here.wait != 0 && (!plain || passed <= waits || here.wait < 0 ||
                                        here.kind == WaitKind::kIdleThread);
    begin(lowest_) = {plain ? enter : kNever, passed, waits, next.odd + (odd ? 1 : 0), here.call};
  }
}

}  // namespace latecomer::causes
