// SPDX-License-Identifier: BSD-3-Clause
// Solves a small system of inequalities between clocks per window. Each window begins with the
// forces of the previous one, because clocks change slowly.
#include "sync/drift.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace latecomer::sync {
namespace {

constexpr int kSweeps = 500;        // limit, since contradictory bounds would move for ever
constexpr double kStill = 0.05;     // ticks
constexpr double kRounding = 1e-9;  // bound for rounding errors of sums

// Half-space x(to) - x(from) <= length, with the force by which it pushes.
struct Bound {
  std::uint32_t from = 0, to = 0;
  double length = 0;
  double share = 1;
  double force = 0;
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> pair() const { return {from, to}; }
};

using Latency = std::function<Ticks(std::uint32_t, std::uint32_t)>;

// Returns the bounds in the order of their pairs.
std::vector<Bound> bounds_of(std::span<const ShortestTime> times, const Latency& latency) {
  std::vector<Bound> bounds;
  for (const auto& s : times) {
    // Clock 0 is fixed, so the other clock takes all of a push; otherwise each clock takes half.
    const double share = s.from == 0 || s.to == 0 ? 1 : 0.5;
    bounds.push_back({s.from, s.to, static_cast<double>(s.time - latency(s.from, s.to)), share});
  }
  std::ranges::sort(bounds, {}, &Bound::pair);
  for (auto& b : bounds) {
    if (b.from > b.to) continue;
    const auto back = std::ranges::lower_bound(bounds, std::pair(b.to, b.from), {}, &Bound::pair);
    if (back == bounds.end() || back->pair() != std::pair(b.to, b.from)) continue;
    // If the sum is negative, the clocks drifted within the window. Each bound gets half of that.
    const double excess = std::min(0.0, b.length + back->length);
    b.length -= excess / 2;
    back->length -= excess / 2;
  }
  return bounds;
}

// Starts bounds with the final forces of the same bounds in the previous window.
void take_forces(const std::vector<Bound>& before, std::vector<Bound>& bounds) {
  auto old = before.begin();
  for (auto& b : bounds) {
    while (old != before.end() && old->pair() < b.pair()) ++old;
    if (old != before.end() && old->pair() == b.pair()) b.force = old->force;
  }
}

// Finds clocks that are bounded on both sides, along chains of pairs.
std::vector<bool> bounded(const std::vector<Bound>& bounds, std::size_t clocks) {
  std::vector<bool> above(clocks), below(clocks);
  above[0] = below[0] = true;
  for (bool more = true; more;) {
    more = false;
    for (const auto& b : bounds) {
      if (above[b.from] && !above[b.to]) above[b.to] = more = true;
      if (below[b.to] && !below[b.from]) below[b.from] = more = true;
    }
  }
  for (std::size_t c = 0; c < clocks; ++c) above[c] = above[c] && below[c];
  return above;
}

// Finds the nearest point to zero within all bounds (Hildreth 1957). Each bound in turn pushes the
// clocks apart or lets go, until nothing moves.
//
// Most bounds do not push, and will not as long as all clocks stay near their values. They are left
// out of the sweeps, which does not change a digit of the result.
class Nearest {
 public:
  Nearest(std::vector<Bound>& bounds, std::size_t clocks)
      : bounds_(bounds), x_(clocks), then_(clocks) {
    for (const auto& b : bounds) push(b, b.force);
  }

  std::vector<double> find() {
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      moved_ = 0;
      const bool all = !sweep_near();
      if (moved_ < kStill) break;
      if (all || sweep % kAfresh == 0) look_around();
    }
    return std::move(x_);
  }

 private:
  // sweeps after which the set of near bounds may be much smaller
  static constexpr int kAfresh = 32;

  void push(const Bound& b, double by) {
    x_[b.to] -= by;
    x_[b.from] += by;
    x_[0] = 0;
  }

  void visit(Bound& b) {
    const double excess = x_[b.to] - x_[b.from] - b.length;
    if (b.force == 0 && excess <= 0) return;
    const double by = std::max(-b.force, excess * b.share);
    b.force += by;
    push(b, by);
    moved_ = std::max(moved_, std::abs(by));
    gone_ = std::max(gone_, std::abs(x_[b.to] - then_[b.to]));
    gone_ = std::max(gone_, std::abs(x_[b.from] - then_[b.from]));
  }

  // Visits the near bounds. Returns false if a clock moved too far; then all further bounds were
  // visited.
  bool sweep_near() {
    std::size_t next = 0;
    if (gone_ < room_) {
      const auto last = std::ranges::find_if(near_, [&](std::uint32_t i) {
        visit(bounds_[i]);
        return gone_ >= room_;
      });
      if (last == near_.end()) return true;
      next = *last + 1;
    }
    for (; next < bounds_.size(); ++next) visit(bounds_[next]);
    return false;
  }

  // Chooses the near bounds. Clocks may now move twice as far as they did since the last choice.
  void look_around() {
    room_ = 2 * gone_;
    gone_ = 0;
    then_ = x_;
    near_.clear();
    for (std::uint32_t i = 0; i < bounds_.size(); ++i) {
      const auto& b = bounds_[i];
      const double from = x_[b.from], to = x_[b.to];
      const double rounding = kRounding * (std::abs(from) + std::abs(to) + std::abs(b.length));
      if (b.force != 0 || to - from - b.length + 2 * room_ + rounding >= 0) near_.push_back(i);
    }
  }

  std::vector<Bound>& bounds_;
  std::vector<double> x_;
  double moved_ = 0;  // largest push of a sweep
  // Bounds that push, or may push once a clock has moved farther than `room_` from `then_`.
  std::vector<std::uint32_t> near_;
  std::vector<double> then_;
  double gone_ = 0, room_ = 0;
};

}  // namespace

std::vector<PiecewiseLinear> estimate_drift(
    std::span<const ShortestTime> shortest, std::span<const Measured> measured,
    std::uint32_t windows, Ticks width,
    const std::function<Ticks(std::uint32_t, std::uint32_t)>& latency) {
  const std::size_t clocks = measured.size();
  std::vector<std::vector<ShortestTime>> by_window(windows);
  for (const auto& s : shortest) by_window[s.window].push_back(s);
  std::vector<std::vector<PiecewiseLinear::Knot>> knots(clocks);
  std::vector<Bound> before;
  for (std::uint32_t w = 0; w < windows; ++w) {
    auto bounds = bounds_of(by_window[w], latency);
    const auto known = bounded(bounds, clocks);
    std::erase_if(bounds, [&](const Bound& b) { return !known[b.from] || !known[b.to]; });
    take_forces(before, bounds);
    const auto x = Nearest(bounds, clocks).find();
    before = std::move(bounds);
    const Ticks middle = width * w + width / 2;
    for (std::size_t c = 1; c < clocks; ++c) {
      if (known[c]) knots[c].push_back({middle, middle - std::llround(x[c])});
    }
  }
  std::vector<PiecewiseLinear> out(clocks);
  for (std::size_t c = 1; c < clocks; ++c) {
    if (knots[c].empty()) continue;
    const auto [begin, end] = measured[c];
    if (begin <= end) {
      if (begin < knots[c].front().at) knots[c].insert(knots[c].begin(), {begin, begin});
      if (end > knots[c].back().at) knots[c].push_back({end, end});
    }
    // Beyond the outer knots the error stays constant. The slope of the last piece is only noise
    // there.
    auto first = knots[c].front(), last = knots[c].back();
    first = {first.at - width, first.value - width};
    last = {last.at + width, last.value + width};
    knots[c].insert(knots[c].begin(), first);
    knots[c].push_back(last);
    out[c] = PiecewiseLinear(std::move(knots[c]));
  }
  return out;
}

}  // namespace latecomer::sync
