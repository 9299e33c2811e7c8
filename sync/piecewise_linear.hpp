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

// outer(inner(t)), exact but for the rounding of knots. Its knots are where either function bends.
// The two outer ones, at which nothing bends, are moved out until they are kOuterPiece from their
// neighbours (not below zero): rounding them must not tilt what lies beyond.
//
//   inner: +5, bends at 50       outer: +7, bends at 155, which inner reaches at 150
//   composed: +12, bends at 50 and at 150
inline constexpr Nanoseconds kOuterPiece = 1'000'000'000;
[[nodiscard]] PiecewiseLinear compose(const PiecewiseLinear& outer, const PiecewiseLinear& inner);

}  // namespace latecomer::sync
