// SPDX-License-Identifier: BSD-3-Clause
// A wait hands costs to all waits of its cause in an interval, each in proportion to its length: so
// an interval is one factor, and what a wait gets is its length times the sum of the factors of the
// intervals it lies in. Factors are integers in units of 2^-40.
#include <algorithm>
#include <array>
#include <compare>
#include <functional>
#include <queue>
#include <tuple>

#include "analyzer/causes/ratio.hpp"
#include "analyzer/causes/wait_graph.hpp"

namespace latecomer::causes {
namespace {

using Factor = Wide;
constexpr int kBits = 40;

Factor ratio(Ticks part, Ticks whole) { return rounded_division(Factor{part} << kBits, whole); }
Ticks product(Ticks time, Factor factor) {
  return static_cast<Ticks>((factor * time + (Factor{1} << (kBits - 1))) >> kBits);
}

// The intervals of one location in which the waits that come next may lie. Waits come in
// descending order of their points.
class Intervals {
 public:
  struct Interval {
    std::uint32_t first = 0;
    std::array<Factor, patterns::kWaitKinds.size()> factors{};
  };
  struct Share {
    std::uint32_t first = 0;
    Factor scale = 0;
  };
  void add(const Interval& interval) {
    for (std::size_t k = 0; k < sum_.size(); ++k) sum_[k] += interval.factors[k];
    open_.push(interval);
  }
  void add(const Share& share) { shares_.push(share); }
  // Leaves what begins behind the point.
  void reach(std::uint32_t point) {
    for (; !open_.empty() && open_.top().first > point; open_.pop()) {
      for (std::size_t k = 0; k < sum_.size(); ++k) sum_[k] -= open_.top().factors[k];
    }
    while (!shares_.empty() && shares_.top().first > point) shares_.pop();
  }
  [[nodiscard]] const auto& sum() const { return sum_; }
  [[nodiscard]] Factor largest_scale() const { return shares_.empty() ? 0 : shares_.top().scale; }

 private:
  struct BeginsLater {
    bool operator()(const Interval& a, const Interval& b) const { return a.first < b.first; }
  };
  struct Smaller {
    bool operator()(const Share& a, const Share& b) const {
      return std::tie(a.scale, b.first) < std::tie(b.scale, a.first);
    }
  };
  std::priority_queue<Interval, std::vector<Interval>, BeginsLater> open_;
  std::priority_queue<Share, std::vector<Share>, Smaller> shares_;
  std::array<Factor, patterns::kWaitKinds.size()> sum_{};
};

}  // namespace

Chains follow_costs(std::span<const GraphWait> waits, std::size_t locations,
                    bool point_to_point_only) {
  // Latest first; by copies of the keys, since waits are far apart in memory.
  struct Key {
    Ticks event, leave;
    std::uint32_t location, point, cause_location, wait;
    auto operator<=>(const Key&) const = default;
  };
  std::vector<Key> order;
  order.reserve(waits.size());
  for (std::uint32_t w = 0; w < waits.size(); ++w) {
    const auto& wait = waits[w];
    if (!wait.costs) continue;
    order.push_back({wait.event, wait.leave, wait.location, wait.point, wait.cause_location, w});
  }
  std::ranges::sort(order, std::greater{});
  Chains chains;
  chains.propagating.resize(waits.size());
  std::vector<Intervals> intervals(locations);
  for (const auto& key : order) {
    const std::uint32_t w = key.wait;
    const GraphWait& wait = waits[w];
    auto& own = intervals[wait.location];
    own.reach(wait.point);
    chains.propagating[w] = product(wait.wait, own.largest_scale());
    const bool hands_on = wait.sum > 0 && wait.first < wait.last;
    Intervals::Interval interval{wait.first, {}};
    for (std::size_t k = 0; k < interval.factors.size(); ++k) {
      if (own.sum()[k] == 0) continue;
      const Ticks cost = product(wait.wait, own.sum()[k]);
      if (cost == 0) continue;
      chains.carried.push_back({w, static_cast<WaitKind>(k), cost});
      if (hands_on) interval.factors[k] = ratio(cost, wait.sum);
    }
    if (!hands_on) continue;
    const Factor scale = ratio(std::min(wait.wait, wait.sum), wait.sum);
    interval.factors[patterns::index_of(wait.kind)] += scale;
    auto& at = intervals[wait.cause_location];
    at.add(interval);
    if (!point_to_point_only || patterns::is_point_to_point(wait.kind)) {
      at.add(Intervals::Share{wait.first, scale});
    }
  }
  std::ranges::sort(chains.carried, [](const Carried& a, const Carried& b) {
    return std::tie(a.wait, a.kind) < std::tie(b.wait, b.kind);
  });
  return chains;
}

}  // namespace latecomer::causes
