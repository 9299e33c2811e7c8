// SPDX-License-Identifier: BSD-3-Clause
// Offsets of a process's clock to rank 0's node, as OTF2's readers apply them.
#pragma once

#include <cstdint>
#include <vector>

#include "tracer/record/definitions.hpp"

namespace latecomer::convert {

using Nanoseconds = std::int64_t;

class ClockOffsets {
 public:
  // Readers correct nothing with fewer than two points and refuse equal times, so a single
  // measurement counts twice, and of measurements whose times do not increase only the first.
  explicit ClockOffsets(const std::vector<record::OffsetDefinition>& measured);

  // Linear between two points and beyond the outer ones.
  //   points (0, +10) and (100, +20):  t = 50 -> 65,  t = 200 -> 230
  [[nodiscard]] Nanoseconds corrected(Nanoseconds local) const;

  [[nodiscard]] const std::vector<record::OffsetDefinition>& points() const { return points_; }

 private:
  std::vector<record::OffsetDefinition> points_;
};

}  // namespace latecomer::convert
