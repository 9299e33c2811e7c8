// SPDX-License-Identifier: BSD-3-Clause
// Times of a location's events as times of the trace.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "sync/piecewise_linear.hpp"

namespace latecomer::trace {

// A clock offset of a location: (local tick, what is to be added to it, in ticks).
struct ClockOffset {
  std::uint64_t time = 0;
  std::int64_t offset = 0;
  double deviation = 0;
};

// What the OTF2 library adds to times, to the tick, so that every reader of the archive shows the
// same: linear between offsets, the outer pieces go on; fewer than two change nothing. Those behind
// one whose time is not later than the last are not used. MT: one thread.
class RecordedOffsets {
 public:
  explicit RecordedOffsets(const std::vector<ClockOffset>& offsets) : offsets_(offsets) {
    while (used_ < offsets.size() &&
           (used_ == 0 || offsets[used_].time > offsets[used_ - 1].time)) {
      ++used_;
    }
    if (used_ >= 2) enter(0);
  }
  std::uint64_t operator()(std::uint64_t time) {
    if (used_ < 2) return time;
    while (piece_ + 2 < used_ && time > offsets_[piece_ + 1].time) enter(piece_ + 1);
    while (piece_ > 0 && time <= offsets_[piece_].time) enter(piece_ - 1);
    const double run = static_cast<double>(static_cast<std::int64_t>(time - begin_));
    return time + offset_ + static_cast<std::uint64_t>(std::llrint(slope_ * run));
  }

 private:
  void enter(std::size_t piece) {
    const ClockOffset &from = offsets_[piece], &to = offsets_[piece + 1];
    piece_ = piece;
    begin_ = from.time;
    offset_ = static_cast<std::uint64_t>(from.offset);
    const auto rise = static_cast<std::int64_t>(static_cast<std::uint64_t>(to.offset) - offset_);
    slope_ = static_cast<double>(rise) / static_cast<double>(to.time - from.time);
  }
  const std::vector<ClockOffset>& offsets_;
  std::size_t used_ = 0, piece_ = 0;
  std::uint64_t begin_ = 0, offset_ = 0;  // offset: may be negative, sums are modulo 2^64
  double slope_ = 0;
};

// `function`, where there is one, stands for the offsets. Both must outlive this.
class ClockCorrection {
 public:
  ClockCorrection(const std::vector<ClockOffset>& offsets, const sync::PiecewiseLinear* function,
                  std::uint64_t first_tick)
      : offsets_(offsets), first_tick_(first_tick) {
    if (function != nullptr) function_.emplace(*function);
  }
  std::int64_t operator()(std::uint64_t time) {
    const std::uint64_t common =
        function_ ? static_cast<std::uint64_t>((*function_)(static_cast<std::int64_t>(time)))
                  : offsets_(time);
    return static_cast<std::int64_t>(common - first_tick_);
  }

 private:
  RecordedOffsets offsets_;
  std::optional<sync::Walk> function_;
  std::uint64_t first_tick_;
};

}  // namespace latecomer::trace
