// SPDX-License-Identifier: BSD-3-Clause
// Multiplies 64-bit numbers to 128 bits; only the result is rounded.
#include "sync/piecewise_linear.hpp"

#include <algorithm>
#include <utility>

namespace latecomer::sync {
namespace {

using Knot = PiecewiseLinear::Knot;
__extension__ using Wide = __int128;

// a / b for positive b, to the nearest integer, halves up.
Wide divided(Wide a, Wide b) {
  Wide quotient = a / b, rest = a % b;
  if (rest < 0) {
    --quotient;
    rest += b;
  }
  return 2 * rest >= b ? quotient + 1 : quotient;
}

Nanoseconds limited(Wide time) {
  return static_cast<Nanoseconds>(std::clamp<Wide>(time, -kLongest, kLongest));
}

bool is_valid(const Knot& k) {
  return std::max(k.at, k.value) <= kLongest && std::min(k.at, k.value) >= -kLongest;
}

// a / b for positive b, rounded down.
Nanoseconds rounded_down(Nanoseconds a, Nanoseconds b) {
  const Nanoseconds quotient = a / b;
  return a % b < 0 ? quotient - 1 : quotient;
}

// Slopes are close to 1. The part beyond 1 usually fits into 64 bits, which is much faster.
Nanoseconds on_line(const Knot& a, const Knot& b, Nanoseconds t) {
  const Nanoseconds run = b.at - a.at, gain = b.value - a.value - run;
  Nanoseconds part, rise, doubled;
  if (!__builtin_sub_overflow(t, a.at, &part) && !__builtin_mul_overflow(part, gain, &rise) &&
      !__builtin_mul_overflow(rise, 2, &doubled) &&
      !__builtin_add_overflow(doubled, run, &doubled) && run < INT64_MAX / 2) {
    return limited(Wide{a.value} + part + rounded_down(doubled, 2 * run));
  }
  const Wide distance = Wide{t} - a.at;
  return limited(a.value + distance + divided(distance * gain, run));
}

// Calls `use` for each time at which the function bends: its knots except the outer two.
template <typename F>
void for_each_bend(const PiecewiseLinear& f, F&& use) {
  const auto& knots = f.knots();
  for (std::size_t i = 1; i + 1 < knots.size(); ++i) use(knots[i].at);
}

}  // namespace

PiecewiseLinear::PiecewiseLinear(std::vector<Knot> knots) {
  std::ranges::stable_sort(knots, {}, &Knot::at);
  for (const Knot& k : knots) {
    if (!is_valid(k)) continue;
    if (knots_.empty() || (k.at > knots_.back().at && k.value > knots_.back().value)) {
      knots_.push_back(k);
    }
  }
}

Nanoseconds PiecewiseLinear::operator()(Nanoseconds t) const {
  if (knots_.empty()) return t;
  if (knots_.size() == 1) return limited(Wide{t} - knots_[0].at + knots_[0].value);
  const auto next = std::partition_point(knots_.begin() + 1, knots_.end() - 1,
                                         [t](const Knot& k) { return k.at < t; });
  return on_line(*std::prev(next), *next, t);
}

Nanoseconds Walk::look_up(Nanoseconds t) {
  if ((t < low_ || t >= high_) && !find(t)) return (*f_)(t);
  // The rounded addition is (2 part gain + run) / (2 run), down. Its remainder shows for how many
  // more ticks the result stays the same.
  const Nanoseconds doubled = (t - at_) * twice_gain_ + run_;
  Nanoseconds quotient = doubled / twice_run_, left = doubled % twice_run_;
  if (left < 0) {
    --quotient;
    left += twice_run_;
  }
  Nanoseconds more = high_ - 1 - t;
  if (twice_gain_ > 0) {
    more = std::min(more, (twice_run_ - 1 - left) / twice_gain_);
  } else if (twice_gain_ < 0) {
    more = std::min(more, left / -twice_gain_);
  }
  from_ = t;
  span_ = static_cast<std::uint64_t>(more) + 1;
  added_ = value_ - at_ + quotient;
  return t + added_;
}

bool Walk::find(Nanoseconds t) {
  const auto& knots = f_->knots();
  Knot a{0, 0}, b{1, 1};  // these represent the identity
  low_ = -kLongest / 2;
  high_ = kLongest / 2;
  if (knots.size() == 1) {
    a = knots[0];
    b = {a.at + 1, a.value + 1};
  } else if (knots.size() > 1) {
    const auto next = std::partition_point(knots.begin() + 1, knots.end() - 1,
                                           [t](const Knot& k) { return k.at < t; });
    a = *std::prev(next);
    b = *next;
    // A knot belongs to the piece that ends there.
    if (next != knots.begin() + 1) low_ = std::max(low_, a.at + 1);
    if (next != knots.end() - 1) high_ = std::min(high_, b.at + 1);
  }
  at_ = a.at;
  value_ = a.value;
  run_ = b.at - a.at;
  const Nanoseconds gain = b.value - a.value - run_;
  // The limits keep products below 2^62 and values below kLongest.
  constexpr Nanoseconds kProduct = Nanoseconds{1} << 61, kPart = Nanoseconds{1} << 50;
  const Nanoseconds size = gain < 0 ? -gain : gain;
  if (run_ > kPart || size > kPart || std::max(value_, -value_) > kLongest / 4) {
    high_ = low_;
    return false;
  }
  const Nanoseconds product = run_ < kProduct / kPart ? run_ * kPart : kProduct;
  const Nanoseconds farthest = std::min(kPart, product / (2 * size + 1));
  low_ = std::max(low_, at_ - farthest);
  high_ = std::min(high_, at_ + farthest);
  twice_gain_ = 2 * gain;
  twice_run_ = 2 * run_;
  return low_ <= t && t < high_;
}

PiecewiseLinear PiecewiseLinear::inverse() const {
  PiecewiseLinear result;
  result.knots_.reserve(knots_.size());
  for (const Knot& k : knots_) result.knots_.push_back({k.value, k.at});
  return result;
}

PiecewiseLinear compose(const PiecewiseLinear& outer, const PiecewiseLinear& inner) {
  if (inner.knots().empty()) return outer;
  if (outer.knots().empty()) return inner;
  const PiecewiseLinear back = inner.inverse();
  std::vector<Nanoseconds> times;
  for_each_bend(inner, [&](Nanoseconds t) { times.push_back(t); });
  for_each_bend(outer, [&](Nanoseconds t) { times.push_back(back(t)); });
  std::ranges::sort(times);

  Nanoseconds first = std::min(inner.knots().front().at, back(outer.knots().front().at));
  Nanoseconds last = std::max(inner.knots().back().at, back(outer.knots().back().at));
  // If nothing bends, the outer knots only have to be far enough from each other.
  if (times.empty()) {
    last = std::max(last, first + kOuterPiece);
  } else {
    const Nanoseconds lowest = std::min<Nanoseconds>(first, 0);
    first = std::max(lowest, std::min(first, times.front() - kOuterPiece));
    last = std::max(last, times.back() + kOuterPiece);
  }
  times.push_back(first);
  times.push_back(last);

  std::vector<Knot> knots;
  for (const Nanoseconds t : times) knots.push_back({t, outer(inner(t))});
  return PiecewiseLinear(std::move(knots));
}

}  // namespace latecomer::sync
