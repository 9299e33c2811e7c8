// SPDX-License-Identifier: BSD-3-Clause
// Converts local times of a location's events to times of the trace.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "sync/piecewise_linear.hpp"

namespace latecomer::trace {

// A clock offset of a location: a local time, and what is added to it, both in ticks.
struct ClockOffset {
  std::uint64_t time = 0;
  std::int64_t offset = 0;
  double deviation = 0;
};

// Adds exactly what the OTF2 library adds, so that every reader of the archive shows the same
// times. The function is linear between offsets, and the outer pieces continue. Fewer than two
// offsets change nothing. Offsets after one whose time does not ascend are ignored. MT: one thread.
class RecordedOffsets {
 public:
  explicit RecordedOffsets(const std::vector<ClockOffset>& offsets) : offsets_(offsets) {
    while (used_ < offsets.size() &&
           (used_ == 0 || offsets[used_].time > offsets[used_ - 1].time)) {
      ++used_;
    }
    if (used_ < 2) return;
    enter(0);
    look_up(begin_);
  }
  std::uint64_t operator()(std::uint64_t time) {
    if (time - from_ > span_) [[unlikely]]
      look_up(time);
    return time + added_;
  }
  // The shift of the last query applies from from() on, for span() further ticks.
  [[nodiscard]] std::uint64_t from() const { return from_; }
  [[nodiscard]] std::uint64_t span() const { return span_; }

 private:
  // The shift stays the same for many events, which then need no computation. It changes when the
  // piece ends or when the rounded product reaches the next number. It is monotonic within a piece.
  // If it is equal at two times, it is equal in between.
  void look_up(std::uint64_t time) {
    while (piece_ + 2 < used_ && time > offsets_[piece_ + 1].time) enter(piece_ + 1);
    while (piece_ > 0 && time <= offsets_[piece_].time) enter(piece_ - 1);
    const std::int64_t risen = risen_at(time);
    from_ = time;
    span_ = 0;
    added_ = offset_ + static_cast<std::uint64_t>(risen);
    // Time since the begin of the piece up to which the rounded product stays the same, less one
    // tick.
    const double next = (static_cast<double>(risen) + (slope_ < 0 ? -0.5 : 0.5)) / slope_ - 1;
    const auto run = static_cast<std::int64_t>(time - begin_);
    if (run > kFar || run < -kFar || next <= static_cast<double>(run)) return;
    auto until =
        begin_ + static_cast<std::uint64_t>(next < kFar ? static_cast<std::int64_t>(next) : kFar);
    if (piece_ + 2 < used_) until = std::min(until, offsets_[piece_ + 1].time);
    if (until > time && risen_at(until) == risen) span_ = until - time;
  }
  [[nodiscard]] std::int64_t risen_at(std::uint64_t time) const {
    return std::llrint(slope_ * static_cast<double>(static_cast<std::int64_t>(time - begin_)));
  }
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
  std::uint64_t begin_ = 0, offset_ = 0;  // offset: may be negative; sums are modulo 2^64
  double slope_ = 0;
  // The shift `added_` applies from from_ on, for span_ further ticks.
  std::uint64_t from_ = 0, span_ = UINT64_MAX, added_ = 0;
  static constexpr std::int64_t kFar = std::int64_t{1} << 52;  // ticks; exact as a double
};

// `function` replaces the offsets, unless it is null. Both must outlive this object.
class ClockCorrection {
 public:
  ClockCorrection(const std::vector<ClockOffset>& offsets, const sync::PiecewiseLinear* function,
                  std::uint64_t first_tick)
      : offsets_(offsets), first_tick_(first_tick) {
    if (function != nullptr) function_.emplace(*function);
    look_up(0);
  }
  std::int64_t operator()(std::uint64_t time) {
    if (time - from_ > span_) [[unlikely]]
      look_up(time);
    return static_cast<std::int64_t>(time + added_);
  }
  // A fast path: applies the shift of the last query. False: that shift may not apply here, or the
  // result may exceed kFarthest.
  bool add_again(std::uint64_t time, std::int64_t& corrected) const {
    corrected = static_cast<std::int64_t>(time + added_);
    return time - from_ <= span_;
  }
  static constexpr std::int64_t kFarthest = INT64_MAX / 2;

 private:
  void look_up(std::uint64_t time) {
    if (function_) {
      added_ = static_cast<std::uint64_t>((*function_)(static_cast<std::int64_t>(time))) - time;
      from_ = static_cast<std::uint64_t>(function_->from());
      span_ = function_->span() - 1;
      if (function_->span() == 0 || time - from_ > span_) {  // computed for this time only
        from_ = time;
        span_ = 0;
      }
    } else {
      added_ = offsets_(time) - time;
      from_ = offsets_.from();
      span_ = offsets_.span();
    }
    added_ -= first_tick_;
    const auto first = static_cast<std::int64_t>(from_ + added_);
    if (first <= kFarthest) {
      span_ = std::min(span_,
                       static_cast<std::uint64_t>(kFarthest) - static_cast<std::uint64_t>(first));
    } else {
      from_ = time;
      span_ = 0;
    }
  }

  RecordedOffsets offsets_;
  std::optional<sync::Walk> function_;
  std::uint64_t first_tick_;
  // The shift, reduced by first_tick_, applies from from_ on, for span_ further ticks.
  std::uint64_t from_ = 0, span_ = 0, added_ = 0;
};

}  // namespace latecomer::trace
