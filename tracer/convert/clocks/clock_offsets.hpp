// SPDX-License-Identifier: BSD-3-Clause
// Difference between a process's clock and rank 0's, as OTF2's readers apply it.
#pragma once

#include <cstdint>
#include <vector>

#include "sync/clock_tree.hpp"

namespace latecomer::convert {

using sync::Nanoseconds;

class ClockOffsets {
 public:
  struct Point {
    Nanoseconds local = 0;
    Nanoseconds offset = 0;  // to be added to the local time
    Nanoseconds error = 0;   // bound of the error
  };

  // Nothing is known: times stay as they are, and the archive states no offsets.
  ClockOffsets() = default;

  // Readers correct nothing with fewer than two points and refuse equal times. A single point is
  // therefore repeated one second later. Times before zero are dropped, since OTF2 has none.
  explicit ClockOffsets(std::vector<Point> points);
  explicit ClockOffsets(const sync::Correction& correction);

  // The clock is rank 0's; `local` is any time on it.
  static ClockOffsets none(Nanoseconds local) { return ClockOffsets({Point{local, 0, 0}}); }

  // The offset is linear between two points and beyond the outer ones.
  //   points (0, +10) and (100, +20):  t = 50 -> 65,  t = 200 -> 230
  [[nodiscard]] Nanoseconds corrected(Nanoseconds local) const;

  [[nodiscard]] const std::vector<Point>& points() const { return points_; }

 private:
  std::vector<Point> points_;
};

}  // namespace latecomer::convert
