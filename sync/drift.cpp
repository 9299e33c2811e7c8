// SPDX-License-Identifier: BSD-3-Clause
// One small system of inequalities between clocks per window.
#include "sync/drift.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>

namespace latecomer::sync {
namespace {

constexpr double kUnknown = 1e18;

// All bounds of one window, and what follows from them for each clock.
class Window {
 public:
  Window(std::span<const ShortestTime> times, std::size_t clocks,
         const std::function<Ticks(std::uint32_t, std::uint32_t)>& latency)
      : latency_(latency),
        out_(clocks),
        in_(clocks),
        up_(clocks, kUnknown),
        low_(clocks, -kUnknown),
        fixed_(clocks) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> lengths;
    for (const auto& s : times) {
      lengths[{s.from, s.to}] = static_cast<double>(s.time - latency(s.from, s.to));
    }
    for (const auto& [pair, length] : lengths) {
      const auto back = lengths.find({pair.second, pair.first});
      // Both together negative: the clocks drifted within the window. Half of that belongs to each.
      const double excess = back == lengths.end() ? 0 : std::min(0.0, length + back->second);
      out_[pair.first].push_back({pair.second, length - excess / 2});
      in_[pair.second].push_back({pair.first, length - excess / 2});
    }
  }

  // How far each clock is ahead; nothing for those without bounds on both sides.
  std::vector<std::optional<double>> solve() {
    std::vector<std::optional<double>> x(fixed_.size());
    for (std::optional<std::size_t> next = 0; next; next = narrowest()) {
      x[*next] = *next == 0 ? 0 : place(*next);
      fix(*next, *x[*next]);
    }
    return x;
  }

 private:
  struct Bound {  // x(other) <= x(one) + length, or the other way round
    std::uint32_t clock = 0;
    double length = 0;
  };

  [[nodiscard]] std::optional<std::size_t> narrowest() const {
    std::optional<std::size_t> best;
    for (std::size_t c = 0; c < fixed_.size(); ++c) {
      if (fixed_[c] || up_[c] == kUnknown || low_[c] == -kUnknown) continue;
      if (!best || up_[c] - low_[c] < up_[*best] - low_[*best]) best = c;
    }
    return best;
  }

  // Between the middle of the bounds and the measured offset: the narrower the bounds, the more
  // they say; a twentieth of the latency stands for the uncertainty of what was measured.
  [[nodiscard]] double place(std::size_t c) const {
    const double middle = (up_[c] + low_[c]) / 2;
    const double half = std::max(0.0, (up_[c] - low_[c]) / 2);
    const double measured = static_cast<double>(latency_(0, static_cast<std::uint32_t>(c))) / 20;
    const double x = middle * measured * measured / (measured * measured + half * half);
    return up_[c] < low_[c] ? middle : std::clamp(x, low_[c], up_[c]);
  }

  void fix(std::size_t clock, double x) {
    fixed_[clock] = true;
    up_[clock] = low_[clock] = x;
    spread(clock, out_, [&](std::size_t from, const Bound& b) {
      if (!(up_[from] + b.length < up_[b.clock] - 1e-6)) return false;
      up_[b.clock] = up_[from] + b.length;
      return true;
    });
    spread(clock, in_, [&](std::size_t from, const Bound& b) {
      if (!(low_[from] - b.length > low_[b.clock] + 1e-6)) return false;
      low_[b.clock] = low_[from] - b.length;
      return true;
    });
  }

  // Shortest paths. Bounds that contradict each other around a circle would never settle.
  template <typename Improve>
  void spread(std::size_t start, const std::vector<std::vector<Bound>>& bounds, Improve&& improve) {
    std::deque<std::size_t> todo = {start};
    std::size_t steps = 20 * fixed_.size() + 100;
    while (!todo.empty() && steps-- > 0) {
      const std::size_t from = todo.front();
      todo.pop_front();
      for (const auto& b : bounds[from]) {
        if (!fixed_[b.clock] && improve(from, b)) todo.push_back(b.clock);
      }
    }
  }

  const std::function<Ticks(std::uint32_t, std::uint32_t)>& latency_;
  std::vector<std::vector<Bound>> out_, in_;  // per clock
  std::vector<double> up_, low_;
  std::vector<bool> fixed_;
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
  for (std::uint32_t w = 0; w < windows; ++w) {
    const auto x = Window(by_window[w], clocks, latency).solve();
    const Ticks middle = width * w + width / 2;
    for (std::size_t c = 1; c < clocks; ++c) {
      if (x[c]) knots[c].push_back({middle, middle - std::llround(*x[c])});
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
