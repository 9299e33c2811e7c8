// SPDX-License-Identifier: BSD-3-Clause
// Two points at least, or none.
#include "tracer/convert/clock_offsets.hpp"

#include <cmath>

namespace latecomer::convert {
namespace {

constexpr Nanoseconds kSecond = 1'000'000'000;

}  // namespace

ClockOffsets::ClockOffsets(const std::vector<record::OffsetDefinition>& measured) {
  for (const record::OffsetDefinition& d : measured) {
    if (d.local >= 0 && (points_.empty() || d.local > points_.back().local)) points_.push_back(d);
  }
  if (points_.size() == 1) {
    points_.push_back(points_.front());
    points_.back().local += kSecond;
  }
}

Nanoseconds ClockOffsets::corrected(Nanoseconds local) const {
  if (points_.empty()) return local;
  std::size_t next = 1;
  while (next + 1 < points_.size() && points_[next].local < local) ++next;
  const record::OffsetDefinition& a = points_[next - 1];
  const record::OffsetDefinition& b = points_[next];
  const double slope =
      static_cast<double>(b.offset - a.offset) / static_cast<double>(b.local - a.local);
  return local + a.offset + std::llrint(slope * static_cast<double>(local - a.local));
}

}  // namespace latecomer::convert
