// SPDX-License-Identifier: BSD-3-Clause
// New times of the events of a location, from which time was taken out or to which it was added.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sync/piecewise_linear.hpp"

namespace latecomer::replay {

// Goes on as fast as the recorded time from each knot, stops where the next knot's time is reached,
// and jumps where that is later:
//
//   knots (0, 0) (10, 7) (20, 25)     f(5) = 5, f(8) = 7, f(12) = 9, f(19) = 16, f(21) = 26
//
// So it never runs backwards. Fast if times mostly ascend. MT: one thread.
class MovedTimes {
 public:
  using Ticks = sync::Nanoseconds;

  // Knots come in ascending order; of two at the same time the last one counts. A value below the
  // one before is set to that.
  void add(Ticks at, Ticks value) {
    if (!knots_.empty()) value = std::max(value, knots_.back().value);
    if (!knots_.empty() && knots_.back().at >= at) {
      knots_.back().value = value;
    } else {
      knots_.push_back({at, value});
    }
  }
  [[nodiscard]] bool identity() const {
    return std::ranges::all_of(knots_, [](const Knot& k) { return k.at == k.value; });
  }

  [[nodiscard]] Ticks operator()(Ticks t) { return t + added(t); }
  [[nodiscard]] Ticks added(Ticks t) {
    if (!same(t)) find_shift(t);
    return added_;
  }
  // True if the shift at `t` is that of the last query.
  [[nodiscard]] bool same(Ticks t) const { return t >= from_ && t < until_; }
  // The first time at which the shift may differ.
  [[nodiscard]] Ticks until() const { return until_; }

 private:
  struct Knot {
    Ticks at = 0, value = 0;
  };
  void find_shift(Ticks t) {
    from_ = t;
    until_ = INT64_MAX;
    added_ = 0;
    if (knots_.empty()) return;
    const auto next = find(t);
    if (next == 0) {
      added_ = knots_[0].value - knots_[0].at;
      until_ = knots_[0].at;
      return;
    }
    const Knot& knot = knots_[next - 1];
    added_ = knot.value - knot.at;
    if (next == knots_.size()) return;
    const Knot& end = knots_[next];
    const Ticks reached = end.value - added_;  // the recorded time at which its value is reached
    if (t < reached) {
      until_ = std::min(reached, end.at);
    } else {
      added_ = end.value - t;
      until_ = t + 1;
    }
  }
  // The first knot after a time.
  std::size_t find(Ticks t) {
    const auto fits = [&](std::size_t next) {
      return (next == 0 || knots_[next - 1].at <= t) &&
             (next == knots_.size() || knots_[next].at > t);
    };
    for (int ahead = 0; ahead < 4; ++ahead) {
      if (fits(next_)) return next_;
      if (next_ == knots_.size() || knots_[next_].at > t) break;
      ++next_;
    }
    const auto found = std::ranges::upper_bound(knots_, t, {}, &Knot::at);
    next_ = static_cast<std::size_t>(found - knots_.begin());
    return next_;
  }

  std::vector<Knot> knots_;
  std::size_t next_ = 0;                    // result of the last search
  Ticks from_ = 0, until_ = 0, added_ = 0;  // shift of the last query, from `from_` on
};

}  // namespace latecomer::replay
