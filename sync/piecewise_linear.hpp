// SPDX-License-Identifier: BSD-3-Clause
// Function from the time of one clock to that of another: linear between knots.
#pragma once

#include <cstdint>
#include <vector>

namespace latecomer::sync {

using Nanoseconds = std::int64_t;

// Largest time, before and after zero; times beyond it are set to it.
inline constexpr Nanoseconds kLongest = Nanoseconds{1} << 61;

// A strictly increasing function through its knots, whose outer pieces continue for ever. One knot
// is a shift; without knots the function is the identity. Values are rounded to the nearest
// integer, halves up.
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

  // Takes knots in any order. A knot is kept if it lies to the right of and above all that are kept
  // before it, and its coordinates are within kLongest.
  explicit PiecewiseLinear(std::vector<Knot> knots);

  [[nodiscard]] Nanoseconds operator()(Nanoseconds t) const;

  // Function to the time at which a value is reached: inverse()(f(t)) is t, up to rounding.
  [[nodiscard]] PiecewiseLinear inverse() const;

  [[nodiscard]] const std::vector<Knot>& knots() const { return knots_; }

 private:
  std::vector<Knot> knots_;
};

// Evaluates a function at times that mostly ascend. The results are the same to the tick, but
// without a search and a division each time. The function must outlive this object. MT: one thread.
class Walk {
 public:
  explicit Walk(const PiecewiseLinear& f) : f_(&f) {}
  [[nodiscard]] bool identity() const { return f_->knots().empty(); }

  [[nodiscard]] Nanoseconds operator()(Nanoseconds t) {
    const std::uint64_t behind = static_cast<std::uint64_t>(t) - static_cast<std::uint64_t>(from_);
    return behind < span_ ? t + added_ : look_up(t);
  }
  // Beginning and number of times for which the same value is added, usually including the last
  // query.
  [[nodiscard]] Nanoseconds from() const { return from_; }
  [[nodiscard]] std::uint64_t span() const { return span_; }

 private:
  // Evaluates the function, and finds up to when its rounded distance from the argument stays the
  // same. Slopes are close to 1, so that holds for hundreds of events.
  Nanoseconds look_up(Nanoseconds t);
  // Finds the piece that contains t; false: its numbers are too large for look_up().
  bool find(Nanoseconds t);

  const PiecewiseLinear* f_;
  Nanoseconds from_ = 0, added_ = 0;  // f(t) = t + added_ for span_ ticks from from_ on
  std::uint64_t span_ = 0;
  Nanoseconds low_ = 1, high_ = 0;  // range in which the members below hold; empty at first
  Nanoseconds at_ = 0, value_ = 0;  // knot at which the piece begins
  Nanoseconds twice_gain_ = 0, run_ = 1, twice_run_ = 2;
};

// outer(inner(t)), exact except for the rounding of knots. Its knots are where either function
// bends. Nothing bends at the two outer knots. They are moved outwards until they are kOuterPiece
// from their neighbours (not below zero), so that rounding them does not tilt the outer pieces.
//
//   inner: +5, bends at 50       outer: +7, bends at 155, which inner reaches at 150
//   composed: +12, bends at 50 and at 150
inline constexpr Nanoseconds kOuterPiece = 1'000'000'000;
[[nodiscard]] PiecewiseLinear compose(const PiecewiseLinear& outer, const PiecewiseLinear& inner);

}  // namespace latecomer::sync
