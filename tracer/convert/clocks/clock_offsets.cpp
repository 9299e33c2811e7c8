// SPDX-License-Identifier: BSD-3-Clause
// Offsets have at least two points, or none.
#include "tracer/convert/clocks/clock_offsets.hpp"

#include <cmath>
#include <utility>

namespace latecomer::convert {
namespace {

constexpr Nanoseconds kSecond = 1'000'000'000;

std::vector<ClockOffsets::Point> points_of(const sync::Correction& correction) {
  std::vector<ClockOffsets::Point> points;
  for (const auto& knot : correction.function.knots()) {
    points.push_back({knot.at, knot.value - knot.at, correction.error(knot.at)});
  }
  return points;
}

}  // namespace

ClockOffsets::ClockOffsets(std::vector<Point> points) : points_(std::move(points)) {
  std::erase_if(points_, [](const Point& p) { return p.local < 0; });
  if (points_.size() == 1) {
    points_.push_back(points_.front());
    points_.back().local += kSecond;
  }
}

ClockOffsets::ClockOffsets(const sync::Correction& correction)
    : ClockOffsets(points_of(correction)) {}

Nanoseconds ClockOffsets::corrected(Nanoseconds local) const {
  if (points_.empty()) return local;
  std::size_t next = 1;
  while (next + 1 < points_.size() && points_[next].local < local) ++next;
  const Point& a = points_[next - 1];
  const Point& b = points_[next];
  const double change = static_cast<double>(b.offset) - static_cast<double>(a.offset);
  const double slope = change / static_cast<double>(b.local - a.local);
  const double rest = slope * (static_cast<double>(local) - static_cast<double>(a.local));
  // Nonsense in logs must not end the conversion.
  constexpr double kMost = 3e18;
  if (std::abs(rest) > kMost || std::abs(static_cast<double>(local)) > kMost) return local;
  return local + a.offset + std::llrint(rest);
}

}  // namespace latecomer::convert
