// SPDX-License-Identifier: BSD-3-Clause
// One small system of inequalities between clocks per window; the next one begins with the forces
// of the one before, as clocks change slowly.
#include "sync/drift.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace latecomer::sync {
namespace {

constexpr int kSweeps = 500;     // bounds that contradict each other would move for ever
constexpr double kStill = 0.05;  // ticks

// Half-spaces x(to) - x(from) <= length, and how hard each pushes.
struct Bound {
  std::uint32_t from = 0, to = 0;
  double length = 0;
  double force = 0;
  // Clock 0 stays where it is: the other one takes all of a push, else each takes half.
  [[nodiscard]] double share() const { return from == 0 || to == 0 ? 1 : 0.5; }
};

using Pair = std::pair<std::uint32_t, std::uint32_t>;
using Latency = std::function<Ticks(std::uint32_t, std::uint32_t)>;

std::vector<Bound> bounds_of(std::span<const ShortestTime> times, const Latency& latency) {
  std::map<Pair, double> lengths;
  for (const auto& s : times) {
    lengths[{s.from, s.to}] = static_cast<double>(s.time - latency(s.from, s.to));
  }
  std::vector<Bound> bounds;
  for (const auto& [pair, length] : lengths) {
    const auto back = lengths.find({pair.second, pair.first});
    // Both together negative: the clocks drifted within the window. Half of that belongs to each.
    const double excess = back == lengths.end() ? 0 : std::min(0.0, length + back->second);
    bounds.push_back({pair.first, pair.second, length - excess / 2});
  }
  return bounds;
}

// Clocks that have bounds on both sides, along chains of pairs.
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

// The nearest point to zero within all bounds (Hildreth 1957): each bound in turn pushes the clocks
// apart or lets go, until nothing moves.
std::vector<double> nearest(std::vector<Bound>& bounds, std::size_t clocks) {
  std::vector<double> x(clocks);
  const auto push = [&](const Bound& b, double by) {
    if (b.to != 0) x[b.to] -= by;
    if (b.from != 0) x[b.from] += by;
  };
  // Multiplied, not divided: this is what sweeps would spend their time with.
  std::vector<double> shares;
  for (const auto& b : bounds) {
    push(b, b.force);
    shares.push_back(b.share());
  }
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double moved = 0;
    const double* share = shares.data();
    for (auto& b : bounds) {
      const double excess = x[b.to] - x[b.from] - b.length;
      const double by = std::max(-b.force, excess * *share++);
      if (by == 0) continue;
      b.force += by;
      push(b, by);
      moved = std::max(moved, std::abs(by));
    }
    if (moved < kStill) break;
  }
  return x;
}

}  // namespace

std::vector<PiecewiseLinear> estimate_drift(
    std::span<const ShortestTime> shortest, std::span<const Measured> measured,
    std::uint32_t windows, Ticks width,
    const std::function<Ticks(std::uint32_t, std::uint32_t)>& latency) {
  const std::size_t clocks = measured.size();
  std::vector<std::vector<ShortestTime>> by_window(windows);
  for (const auto& s : shortest) by_window[s.window].push_back(s);
  std::vector<std::vector<PiecewiseLinear::Knot>> knots(clocks);
  std::map<Pair, double> forces;
  for (std::uint32_t w = 0; w < windows; ++w) {
    auto bounds = bounds_of(by_window[w], latency);
    const auto known = bounded(bounds, clocks);
    std::erase_if(bounds, [&](const Bound& b) { return !known[b.from] || !known[b.to]; });
    for (auto& b : bounds) {
      const auto before = forces.find({b.from, b.to});
      if (before != forces.end()) b.force = before->second;
    }
    const auto x = nearest(bounds, clocks);
    forces.clear();
    for (const auto& b : bounds) forces[{b.from, b.to}] = b.force;
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
    // Beyond the outer knots the error stays: not the slope of the last piece, which is noise
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
