// SPDX-License-Identifier: BSD-3-Clause
// The corrected time of any event of one process, fast for events in about the order of time.
#pragma once

#include <cstdint>
#include <vector>

#include "sync/advance.hpp"
#include "sync/shift.hpp"

namespace latecomer::sync {

// f(c) = c + shift(c) + advance(c), the same to the tick, from one table of intervals.
// MT: one thread, since it remembers where it was.
class TimeMap {
 public:
  TimeMap() = default;                                            // changes nothing
  TimeMap(const Shift& shift, std::vector<Advance::Line> lines);  // of an Advance

  [[nodiscard]] Ticks operator()(Ticks c) const {
    if (c < low_ || c >= high_) find(c);
    return quiet_ ? c : corrected(c);
  }
  [[nodiscard]] bool identity() const { return intervals_.empty(); }
  // What it keeps: at most twice as many as there were, with the copies.
  [[nodiscard]] std::size_t kept_lines() const { return lines_.size(); }
  // Of the time asked for last: for so many ticks, with its own, nothing changes; 0: it does there.
  [[nodiscard]] std::uint64_t quiet_from(Ticks c) const {
    return quiet_ ? static_cast<std::uint64_t>(high_) - static_cast<std::uint64_t>(c) : 0;
  }

 private:
  struct Interval {  // up to the next one
    Ticks from = 0;
    Ticks key = INT64_MIN;  // of the jump that decays here
    // The lines that hold here are among these, which end behind it. Intervals share them.
    std::uint32_t first_line = 0, last_line = 0;
  };
  void find(Ticks c) const;
  [[nodiscard]] Ticks corrected(Ticks c) const;

  Decay decay_ = 1;
  std::vector<Interval> intervals_;
  std::vector<Advance::Line> lines_;
  mutable std::size_t current_ = 0;
  mutable Ticks low_ = 1, high_ = 0;  // where current_ holds; empty at first
  mutable bool quiet_ = true;
};

}  // namespace latecomer::sync
