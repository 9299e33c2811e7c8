// SPDX-License-Identifier: BSD-3-Clause
// One small system of linear equations per window, solved by conjugate gradients.
#include "sync/drift.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace latecomer::sync {
namespace {

struct Edge {  // x(b) - x(a) = middle +- width
  std::uint32_t a = 0, b = 0;
  double middle = 0, width = 0;
  double weight = 0;
};

std::vector<Edge> edges_of(std::span<const ShortestTime> window,
                           const std::function<Ticks(std::uint32_t, std::uint32_t)>& latency) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Ticks> times;
  for (const auto& s : window) times[{s.from, s.to}] = s.time;
  std::vector<Edge> edges;
  for (const auto& [pair, there] : times) {
    const auto [a, b] = pair;
    if (a >= b) continue;
    const auto back = times.find({b, a});
    if (back == times.end()) continue;
    const auto mu = static_cast<double>(latency(a, b));
    const double width = std::max(0.0, static_cast<double>(there + back->second) / 2 - mu);
    // What is narrower than a part of the latency is as good as exact.
    const double spread = width + mu / 10 + 1;
    edges.push_back(
        {a, b, static_cast<double>(there - back->second) / 2, width, 1 / (spread * spread)});
  }
  return edges;
}

// Windows in which nobody waited for the messages of a pair say next to nothing, and their middle
// is biased: only those are kept that are not much wider than half of the pair's windows are.
void drop_wide(std::vector<std::vector<Edge>>& windows) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<double>> widths;
  for (const auto& edges : windows) {
    for (const auto& e : edges) widths[{e.a, e.b}].push_back(e.width);
  }
  for (auto& [pair, list] : widths) {
    std::ranges::nth_element(list, list.begin() + std::ssize(list) / 2);
  }
  for (auto& edges : windows) {
    std::erase_if(edges, [&](const Edge& e) {
      const auto& list = widths[{e.a, e.b}];
      return e.width > 2 * list[list.size() / 2];
    });
  }
}

// Clocks that edges connect with clock 0.
std::vector<bool> connected(const std::vector<Edge>& edges, std::size_t clocks) {
  std::vector<std::vector<std::uint32_t>> neighbours(clocks);
  for (const auto& e : edges) {
    neighbours[e.a].push_back(e.b);
    neighbours[e.b].push_back(e.a);
  }
  std::vector<bool> reached(clocks);
  std::vector<std::uint32_t> todo = {0};
  reached[0] = true;
  while (!todo.empty()) {
    const auto clock = todo.back();
    todo.pop_back();
    for (const auto n : neighbours[clock]) {
      if (reached[n]) continue;
      reached[n] = true;
      todo.push_back(n);
    }
  }
  return reached;
}

// Least squares with x(0) = 0: conjugate gradients on the weighted graph, scaled by the diagonal.
std::vector<double> solve(const std::vector<Edge>& edges, const std::vector<bool>& reached) {
  const std::size_t n = reached.size();
  std::vector<double> x(n), diagonal(n), residual(n);
  for (const auto& e : edges) {
    if (!reached[e.a]) continue;
    diagonal[e.a] += e.weight;
    diagonal[e.b] += e.weight;
    residual[e.a] -= e.weight * e.middle;
    residual[e.b] += e.weight * e.middle;
  }
  const auto free = [&](std::size_t i) { return i != 0 && reached[i] && diagonal[i] > 0; };
  std::vector<double> direction(n), scaled(n), product(n);
  double rho = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!free(i)) continue;
    direction[i] = scaled[i] = residual[i] / diagonal[i];
    rho += residual[i] * scaled[i];
  }
  for (std::size_t step = 0; step < 10 * n && rho > 1e-12; ++step) {
    std::ranges::fill(product, 0);
    for (const auto& e : edges) {
      if (!reached[e.a]) continue;
      const double flow =
          e.weight * ((free(e.b) ? direction[e.b] : 0) - (free(e.a) ? direction[e.a] : 0));
      product[e.b] += flow;
      product[e.a] -= flow;
    }
    double curvature = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (free(i)) curvature += direction[i] * product[i];
    }
    if (!(curvature > 0)) break;
    const double length = rho / curvature;
    double next = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (!free(i)) continue;
      x[i] += length * direction[i];
      residual[i] -= length * product[i];
      scaled[i] = residual[i] / diagonal[i];
      next += residual[i] * scaled[i];
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (free(i)) direction[i] = scaled[i] + next / rho * direction[i];
    }
    rho = next;
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
  std::vector<std::vector<Edge>> edges_by_window;
  for (const auto& window : by_window) edges_by_window.push_back(edges_of(window, latency));
  drop_wide(edges_by_window);
  std::vector<std::vector<PiecewiseLinear::Knot>> knots(clocks);
  for (std::uint32_t w = 0; w < windows; ++w) {
    const auto& edges = edges_by_window[w];
    const auto reached = connected(edges, clocks);
    const auto x = solve(edges, reached);
    const Ticks middle = width * w + width / 2;
    for (std::size_t c = 1; c < clocks; ++c) {
      if (reached[c]) knots[c].push_back({middle, middle - std::llround(x[c])});
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
