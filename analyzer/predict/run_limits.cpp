// SPDX-License-Identifier: BSD-3-Clause
// Sums what causes booked, and lists the largest entries.
#include "analyzer/predict/run_limits.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "analyzer/attribution/cause_metrics.hpp"

namespace latecomer::predict {
namespace {

using patterns::kWaitKindCount;
using trace::kNone;
using trace::Ticks;
using Limit = report::Prediction::Limit;

constexpr std::size_t kMost = 5;  // entries of a list

// The largest entries of a changed run, and the largest one of the recorded run. The largest of the
// changed run come first.
std::vector<std::size_t> largest(const std::vector<Ticks>& recorded,
                                 const std::vector<Ticks>& changed) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < changed.size(); ++i) {
    if (std::max(recorded[i], changed[i]) > 0) order.push_back(i);
  }
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::pair(changed[a], recorded[a]) > std::pair(changed[b], recorded[b]);
  });
  if (order.size() <= kMost) return order;
  const auto most = std::ranges::max_element(recorded);
  const auto first = static_cast<std::size_t>(most - recorded.begin());
  order.resize(kMost);
  if (std::ranges::find(order, first) == order.end()) order.back() = first;
  return order;
}

Ticks sum(const std::vector<Ticks>& times) {
  return std::accumulate(times.begin(), times.end(), Ticks{0});
}

}  // namespace

Limits find_limits(const replay::Booking& booking, parallel::Processes& processes) {
  const replay::CauseMetrics metrics(booking.metrics);
  const std::size_t nodes = booking.tree.nodes.size();
  Limits limits{.path = std::vector<Ticks>(nodes),
                .waits = std::vector<Ticks>(nodes * kWaitKindCount),
                .costs = std::vector<Ticks>(nodes),
                .rank = std::vector<std::uint32_t>(nodes, kNone)};
  std::vector<std::int64_t> most(nodes), of(nodes);  // by call path: the most here, and its rank
  for (std::size_t l = 0; l < booking.mine.size(); ++l) {
    for (std::uint32_t c = 0; c < nodes; ++c) {
      limits.path[c] += booking.value(metrics.critical_path, l, c);
      for (std::size_t k = 0; k < kWaitKindCount; ++k) {
        limits.waits[k * nodes + c] += metrics.waited(booking, k, l, c);
      }
      const Ticks costs = metrics.delay_costs(booking, l, c);
      limits.costs[c] += costs;
      if (costs > most[c]) {
        most[c] = costs;
        of[c] = booking.rank_of(l);
      }
    }
  }
  processes.sum(limits.path);
  processes.sum(limits.waits);
  processes.sum(limits.costs);
  // The lowest one of the ranks with the largest costs.
  for (const auto c : largest(limits.costs, limits.costs)) {
    const bool here = most[c] == processes.max(most[c]);
    limits.rank[c] = static_cast<std::uint32_t>(processes.min(here ? of[c] : kNone));
  }
  return limits;
}

report::Prediction::Limits compare(const Limits& recorded, const Limits& changed,
                                   const replay::Booking& booking) {
  const auto second = static_cast<double>(booking.definitions.ticks_per_second);
  const std::size_t nodes = recorded.path.size();
  const auto seconds = [&](Ticks ticks) { return static_cast<double>(ticks) / second; };
  const auto list = [&](const std::vector<Ticks>& before, const std::vector<Ticks>& after,
                        auto&& name) {
    std::vector<Limit> limits;
    for (const auto i : largest(before, after)) {
      auto& limit = limits.emplace_back();
      limit.call_path = static_cast<std::uint32_t>(i % nodes);
      limit.before = seconds(before[i]);
      limit.after = seconds(after[i]);
      name(limit, i);
    }
    return limits;
  };
  report::Prediction::Limits limits;
  limits.path_before = seconds(sum(recorded.path));
  limits.path_after = seconds(sum(changed.path));
  limits.caused_before = seconds(sum(recorded.costs));
  limits.caused_after = seconds(sum(changed.costs));
  limits.path = list(recorded.path, changed.path, [](Limit&, std::size_t) {});
  limits.waits = list(recorded.waits, changed.waits, [&](Limit& limit, std::size_t i) {
    limit.metric = patterns::wait_kinds()[i / nodes].wait;
  });
  limits.causes = list(recorded.costs, changed.costs, [&](Limit& limit, std::size_t c) {
    const auto rank = changed.rank[c] == kNone ? recorded.rank[c] : changed.rank[c];
    if (rank != kNone) limit.rank = rank;
  });
  return limits;
}

}  // namespace latecomer::predict
