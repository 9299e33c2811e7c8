// SPDX-License-Identifier: BSD-3-Clause
// Time of one clock -> time of another: linear between knots.
#pragma once

#include <cstdint>
#include <vector>

namespace latecomer::sync {

using Nanoseconds = std::int64_t;

// Times are at most this, before and after zero; what would lie beyond is set to it.
inline constexpr Nanoseconds kLongest = Nanoseconds{1} << 61;

// A strictly increasing function through its knots, whose outer pieces go on for ever. One knot is
// a shift, none changes nothing. Values are rounded to the nearest integer, halves up.
//
//   knots (0, 10) (100, 120) (200, 200)     f(50) = 65, f(150) = 160, f(300) = 280, f(-10) = -1
class PiecewiseLinear {
 public:
  struct Knot {
    Nanoseconds at = 0;
    Nanoseconds value = 0;
    friend bool operator==(const Knot&, const Knot&) = default;
  };

  PiecewiseLinear() = default;

  // Of knots in any order those are kept that lie right of and above all that are kept before.
  // Coordinates beyond kLongest are not kept.
  explicit PiecewiseLinear(std::vector<Knot> knots);

  [[nodiscard]] Nanoseconds operator()(Nanoseconds t) const;

  // The time at which the value is reached: inverse()(f(t)) is t, up to rounding.
  [[nodiscard]] PiecewiseLinear inverse() const;

  [[nodiscard]] const std::vector<Knot>& knots() const { return knots_; }

 private:
  std::vector<Knot> knots_;
};

// The values of a function at times that mostly ascend: the same to the tick, without a search and
// a division each time. The function must outlive it. MT: one thread.
class Walk {
 public:
  explicit Walk(const PiecewiseLinear& f) : f_(&f) {}
  [[nodiscard]] bool identity() const { return f_->knots().empty(); }

  [[nodiscard]] Nanoseconds operator()(Nanoseconds t) {
    const std::uint64_t behind = static_cast<std::uint64_t>(t) - static_cast<std::uint64_t>(from_);
    return behind < span_ ? t + added_ : look_up(t);
  }
  // The same is added for so many times from there on, mostly with those asked for last.
  [[nodiscard]] Nanoseconds from() const { return from_; }
  [[nodiscard]] std::uint64_t span() const { return span_; }

 private:
  // Also finds up to when the function, rounded, stays as far from its argument as here: slopes are
  // close to 1, so that is true for hundreds of events.
  Nanoseconds look_up(Nanoseconds t);
  // Sets the piece that holds t; false: there numbers get too large for look_up().
  bool find(Nanoseconds t);

  const PiecewiseLinear* f_;
  Nanoseconds from_ = 0, added_ = 0;  // from there on, so many ticks: f(t) = t + added
  std::uint64_t span_ = 0;
  Nanoseconds low_ = 1, high_ = 0;  // where what follows holds; empty at first
  Nanoseconds at_ = 0, value_ = 0;  // of the knot that the piece begins with
  Nanoseconds twice_gain_ = 0, run_ = 1, twice_run_ = 2;
};

// outer(inner(t)), exact but for the rounding of knots. Its knots are where either function bends.
// The two outer ones, at which nothing bends, are moved out until they are kOuterPiece from their
// neighbours (not below zero): rounding them must not tilt what lies beyond.
//
//   inner: +5, bends at 50       outer: +7, bends at 155, which inner reaches at 150
//   composed: +12, bends at 50 and at 150
inline constexpr Nanoseconds kOuterPiece = 1'000'000'000;
[[nodiscard]] PiecewiseLinear compose(const PiecewiseLinear& outer, const PiecewiseLinear& inner);

}  // namespace latecomer::sync
