// SPDX-License-Identifier: BSD-3-Clause
// Extends the window of rows back in time, one point after the other.
#include "analyzer/causes/point_times.hpp"

#include <algorithm>
#include <bit>

namespace latecomer::causes {

PointTimes::PointTimes(const CallPathTimes& times, std::size_t nodes, std::size_t room)
    : times_(times), nodes_(nodes), walk_(times.walk()) {
  const std::size_t points = std::bit_floor(std::min(room, std::bit_ceil(times.points().size())));
  if (points < 2) return;
  mask_ = static_cast<std::uint32_t>(points - 1);
  sum_.resize(nodes);
  begins_.resize(points);
  rows_.resize(points * nodes);
}

void PointTimes::extend_to(std::uint32_t point) {
  const Points points = times_.points();
  auto walk = walk_;  // a copy, so that it can stay in registers
  Begin next;
  if (walk.point < points.size()) next = begin(walk.point);
  while (walk.point > point) {
    const auto [plain, enter, first_passed] = times_.step_back(walk, sum_.data());
    const SyncPoint& here = points[walk.point];
    sum_[here.node] -= here.wait;
    std::copy_n(sum_.data(), nodes_, row(walk.point));
    Ticks passed = first_passed, waits = here.wait;
    if (next.call == here.call) {
      passed = std::max(passed, next.passed);
      waits += next.waits;
    }
    const bool odd = here.wait != 0 && (!plain || passed <= waits || here.wait < 0 ||
                                        here.kind == WaitKind::kIdleThread);
    next = {plain ? enter : kNever,   passed,    waits,
            next.odd + (odd ? 1 : 0), here.call, trace::advanced(next.all_waits, here.wait)};
    begin(walk.point) = next;
  }
  walk_ = walk;
  times_.go_on_from(walk);
}

}  // namespace latecomer::causes
