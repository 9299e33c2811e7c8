// SPDX-License-Identifier: BSD-3-Clause
// Times of the clock measurements during a run: rank 0's choice of counts of collective operations.
#pragma once

#include <algorithm>
#include <cstdint>

namespace latecomer::session {

// A count of collective operations over all processes at which all of them act together.
struct ClockPoint {
  std::uint64_t count = 0;
  bool measure = false;  // otherwise only the next point is announced
};

// Chooses the next point. Rank 0 knows the rate of operations only from the past. On the way to a
// measurement it therefore looks again at points that are an eighth of the interval apart. In the
// beginning the counts grow by a factor of eight. A falling rate makes the next measurement late,
// but only by the fall within one such step.
//
//   interval 300 s, 1 operation per second
//   points    16     53     90  ...    every 37 operations, an eighth of 300
//   at        16 s   53 s   90 s ...   measured at about 300 s
class ClockSchedule {
 public:
  using Nanoseconds = std::int64_t;
  static constexpr std::uint64_t kFirst = 16;
  static constexpr std::uint64_t kGrowth = 8;

  ClockSchedule(Nanoseconds interval, Nanoseconds now)
      : interval_(interval), measured_(now), seen_(now) {}

  [[nodiscard]] static ClockPoint first() { return {kFirst, false}; }

  // The point after the one at `count`, which is now. `measured` says if clocks were measured
  // there. The result is at least two operations later, because the first one brings the
  // announcement.
  [[nodiscard]] ClockPoint next(std::uint64_t count, Nanoseconds now, bool measured) {
    const auto passed = std::max<Nanoseconds>(now - seen_, 1);
    const double rate = static_cast<double>(count - count_seen_) / static_cast<double>(passed);
    if (measured) measured_ = now;
    count_seen_ = count;
    seen_ = now;
    const Nanoseconds rest = std::max<Nanoseconds>(measured_ + interval_ - now, 0);
    const auto wait = static_cast<double>(std::min(rest, interval_ / 8));
    const auto most = static_cast<double>((kGrowth - 1) * count);
    const auto operations =
        std::max<std::uint64_t>(static_cast<std::uint64_t>(std::min(rate * wait, most)), 2);
    const bool due = static_cast<double>(operations + 1) >= rate * static_cast<double>(rest);
    return {count + operations, due};
  }

 private:
  Nanoseconds interval_;
  Nanoseconds measured_;  // time of the last measurement
  Nanoseconds seen_;      // time of the last point
  std::uint64_t count_seen_ = 0;
};

}  // namespace latecomer::session
