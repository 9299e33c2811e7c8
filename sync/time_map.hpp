// SPDX-License-Identifier: BSD-3-Clause
// Corrected times of the events of one process, fast if their order is roughly that of time.
#pragma once

#include <cstdint>
#include <vector>

#include "sync/advance.hpp"
#include "sync/shift.hpp"

namespace latecomer::sync {

// f(c) = c + shift(c) + advance(c), exact to the tick, from one table of intervals.
// MT: one thread, since it remembers its position.
class TimeMap {
 public:
  TimeMap() = default;                                            // changes nothing
  TimeMap(const Shift& shift, std::vector<Advance::Line> lines);  // lines of an Advance

  [[nodiscard]] Ticks operator()(Ticks c) const {
    if (c < low_ || c >= high_) find(c);
    return quiet_ ? c : corrected(c);
  }
  [[nodiscard]] bool identity() const { return intervals_.empty(); }
  // Number of lines with their copies: at most twice the number of lines.
  [[nodiscard]] std::size_t kept_lines() const { return lines_.size(); }
  // Number of ticks, including `c`, the last query, that are not changed; 0 if `c` itself is
  // changed.
  [[nodiscard]] std::uint64_t quiet_from(Ticks c) const {
    return quiet_ ? static_cast<std::uint64_t>(high_) - static_cast<std::uint64_t>(c) : 0;
  }

 private:
  struct Interval {  // lasts until the next one
    Ticks from = 0;
    Ticks key = INT64_MIN;  // key of the jump that decays here
    // The lines in force here are among these; some of these may have ended. Intervals share them.
    std::uint32_t first_line = 0, last_line = 0;
  };
  void find(Ticks c) const;
  [[nodiscard]] Ticks corrected(Ticks c) const;

  Decay decay_ = 1;
  std::vector<Interval> intervals_;
  std::vector<Advance::Line> lines_;
  mutable std::size_t current_ = 0;
  mutable Ticks low_ = 1, high_ = 0;  // range of current_; empty at first
  mutable bool quiet_ = true;
};

}  // namespace latecomer::sync
