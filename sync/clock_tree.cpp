// SPDX-License-Identifier: BSD-3-Clause
// Composes the functions from the root outwards, in ascending order: parents have lower ids.
#include "sync/clock_tree.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace latecomer::sync {
namespace {

struct Link {
  ClockId parent = kRootClock;
  std::vector<Measurement> measured;  // in ascending time of the child
};

std::string about(const Measurement& m) {
  return "measurement " + std::to_string(m.moment) + " of the clock of rank " +
         std::to_string(m.child) + " is left out: ";
}

// Formats a time as in "1.5 ms".
std::string in_words(Nanoseconds time) {
  const auto value = static_cast<double>(time);
  const bool ns = time < 1000, us = time < 1'000'000, ms = time < 1'000'000'000;
  char text[40];
  std::snprintf(text, sizeof text, "%.4g %s",
                value / (ns   ? 1
                         : us ? 1e3
                         : ms ? 1e6
                              : 1e9),
                ns   ? "ns"
                : us ? "us"
                : ms ? "ms"
                     : "s");
  return text;
}

// Says what is wrong with `m` after `last`; empty if nothing is.
std::string refusal(const Measurement& last, const Measurement& m) {
  const Nanoseconds time = m.found.remote - last.found.remote;
  const Nanoseconds change = std::abs(m.found.offset - last.found.offset);
  if (time <= 0) return about(m) + "its time is not later than that of the one before";
  if (change > time / kMaxDrift + m.found.error + last.found.error) {
    return about(m) + "the offset changed by " + in_words(change) + " in " + in_words(time);
  }
  return {};
}

std::map<ClockId, Link> links_of(std::span<const Measurement> measurements, Scheme scheme,
                                 std::vector<std::string>& notes) {
  std::vector<Measurement> sorted;
  for (const Measurement& m : measurements) {
    if (m.counts_for(scheme) && m.parent < m.child) sorted.push_back(m);
  }
  std::ranges::stable_sort(sorted, {}, &Measurement::moment);
  std::map<ClockId, Link> links;
  for (const Measurement& m : sorted) {
    const auto [place, is_new] = links.try_emplace(m.child, Link{m.parent, {}});
    auto& measured = place->second.measured;
    if (place->second.parent != m.parent) continue;
    if (!measured.empty() && measured.back().moment == m.moment) continue;  // told twice
    const std::string problem = measured.empty() ? "" : refusal(measured.back(), m);
    if (problem.empty()) {
      measured.push_back(m);
    } else {
      notes.push_back(problem);
    }
  }
  return links;
}

// Growth of the error on the line through two measurements, beyond either. Both may be wrong, in
// opposite directions.
double growth(const Correction::Bound& a, const Correction::Bound& b) {
  return (static_cast<double>(a.error) + static_cast<double>(b.error)) /
         static_cast<double>(b.at - a.at);
}

Correction over_one_link(const Link& link) {
  Correction result;
  std::vector<PiecewiseLinear::Knot> knots;
  for (const Measurement& m : link.measured) {
    knots.push_back({m.found.remote, m.found.remote + m.found.offset});
    result.bounds.push_back({m.found.remote, m.found.error});
  }
  result.function = PiecewiseLinear(std::move(knots));
  if (const auto& bounds = result.bounds; bounds.size() > 1) {
    result.growth_before = growth(bounds[0], bounds[1]);
    result.growth_after = growth(bounds[bounds.size() - 2], bounds.back());
  }
  return result;
}

// A sum that is limited, since logs may contain nonsense.
Nanoseconds sum(Nanoseconds a, Nanoseconds b) { return std::min(kLongest, a + b); }

Nanoseconds grown(Nanoseconds error, double growth, double time) {
  const double more = std::ceil(growth * time);
  return more < static_cast<double>(kLongest) ? sum(error, static_cast<Nanoseconds>(more))
                                              : kLongest;
}

// Applies `link`, then `parent`. Bounds are at the times of both, seen on the child's clock, where
// the errors add up.
Correction after(const Correction& parent, const Correction& link) {
  Correction result;
  result.function = compose(parent.function, link.function);
  const PiecewiseLinear back = link.function.inverse();
  std::vector<Nanoseconds> times;
  for (const auto& bound : link.bounds) times.push_back(bound.at);
  for (const auto& bound : parent.bounds) times.push_back(back(bound.at));
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  for (const Nanoseconds t : times) {
    result.bounds.push_back({t, sum(link.error(t), parent.error(link.function(t)))});
  }
  // Apart from drifts, a tick of the parent is one of the child.
  result.growth_before = link.growth_before + parent.growth_before;
  result.growth_after = link.growth_after + parent.growth_after;
  return result;
}

}  // namespace

Nanoseconds Correction::error(Nanoseconds local) const {
  if (bounds.empty()) return 0;
  const auto next = std::ranges::lower_bound(bounds, local, {}, &Bound::at);
  const auto distance = [local](const Bound& bound) {
    return std::abs(static_cast<double>(local) - static_cast<double>(bound.at));
  };
  if (next == bounds.end())
    return grown(bounds.back().error, growth_after, distance(bounds.back()));
  if (next->at == local) return next->error;
  if (next == bounds.begin()) return grown(next->error, growth_before, distance(*next));
  const Bound& last = *std::prev(next);
  const double share =
      static_cast<double>(local - last.at) / static_cast<double>(next->at - last.at);
  const double error =
      static_cast<double>(last.error) + share * static_cast<double>(next->error - last.error);
  return static_cast<Nanoseconds>(error) + 1;
}

Corrections corrections(std::span<const Measurement> measurements, Scheme scheme) {
  Corrections result;
  for (const auto& [clock, link] : links_of(measurements, scheme, result.notes)) {
    const Correction own = over_one_link(link);
    if (link.parent == kRootClock) {
      result.clocks[clock] = own;
    } else if (const auto parent = result.clocks.find(link.parent); parent != result.clocks.end()) {
      result.clocks[clock] = after(parent->second, own);
    } else {
      result.notes.push_back("the clock of rank " + std::to_string(clock) +
                             " is not corrected: that of rank " + std::to_string(link.parent) +
                             " was not measured");
    }
  }
  return result;
}

}  // namespace latecomer::sync
