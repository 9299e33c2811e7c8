// SPDX-License-Identifier: BSD-3-Clause
// A wait hands costs to all waits of its cause in an interval, each in proportion to its length: so
// an interval is one factor, and what a wait gets is its length times the sum of the factors of the
// intervals it lies in. Factors are integers in units of 2^-40.
#include <algorithm>
#include <array>
#include <queue>
#include <tuple>
#include <utility>

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
  using Factors = std::array<Factor, patterns::kWaitKinds.size()>;

  // From the point `first` on.
  void add(std::uint32_t first, const Factors& factors) {
    for (std::size_t k = 0; k < sum_.size(); ++k) sum_[k] += factors[k];
    std::uint32_t place = static_cast<std::uint32_t>(factors_.size());
    if (free_.empty()) {
      factors_.push_back(factors);
    } else {
      place = free_.back();
      free_.pop_back();
      factors_[place] = factors;
    }
    open_.emplace(first, place);
  }
  void add_scale(std::uint32_t first, Factor scale) { scales_.push({first, scale}); }
  // Leaves what begins behind the point.
  void reach(std::uint32_t point) {
    for (; !open_.empty() && open_.top().first > point; open_.pop()) {
      const std::uint32_t place = open_.top().second;
      for (std::size_t k = 0; k < sum_.size(); ++k) sum_[k] -= factors_[place][k];
      free_.push_back(place);
    }
    while (!scales_.empty() && scales_.top().first > point) scales_.pop();
  }
  [[nodiscard]] const Factors& sum() const { return sum_; }
  [[nodiscard]] Factor largest_scale() const { return scales_.empty() ? 0 : scales_.top().scale; }

 private:
  struct Scale {
    std::uint32_t first = 0;
    Factor scale = 0;
    friend bool operator<(const Scale& a, const Scale& b) {
      return std::tie(a.scale, b.first) < std::tie(b.scale, a.first);
    }
  };
  // By the point at which they begin, with the place of their factors: those are large.
  std::priority_queue<std::pair<std::uint32_t, std::uint32_t>> open_;
  std::vector<Factors> factors_;
  std::vector<std::uint32_t> free_;
  std::priority_queue<Scale> scales_;
  Factors sum_{};
};

// The sorted parts as one sequence.
class Merged {
 public:
  Merged(std::span<const GraphWait> waits, std::span<const std::uint32_t> first) : order_{waits} {
    for (std::size_t p = 0; p < first.size(); ++p) {
      const auto end =
          p + 1 < first.size() ? first[p + 1] : static_cast<std::uint32_t>(waits.size());
      if (first[p] < end) parts_.push_back({first[p], end});
    }
    std::ranges::make_heap(parts_, order_);
  }
  [[nodiscard]] bool done() const { return parts_.empty(); }
  std::uint32_t next() {
    std::ranges::pop_heap(parts_, order_);
    const std::uint32_t wait = parts_.back().next++;
    if (parts_.back().next == parts_.back().end) {
      parts_.pop_back();
    } else {
      std::ranges::push_heap(parts_, order_);
    }
    return wait;
  }

 private:
  struct Part {
    std::uint32_t next = 0, end = 0;
  };
  // A heap has its largest in front.
  struct Order {
    std::span<const GraphWait> waits;
    bool operator()(const Part& a, const Part& b) const {
      return is_followed_before(waits[b.next], waits[a.next]);
    }
  };
  Order order_;
  std::vector<Part> parts_;
};

}  // namespace

Chains follow_costs(std::span<const GraphWait> waits, std::span<const std::uint32_t> first,
                    std::size_t locations, bool point_to_point_only) {
  Chains chains;
  chains.propagating.resize(waits.size());
  std::vector<Intervals> intervals(locations);
  for (Merged merged(waits, first); !merged.done();) {
    const std::uint32_t w = merged.next();
    const GraphWait& wait = waits[w];
    if (!wait.costs) continue;
    auto& own = intervals[wait.location];
    own.reach(wait.point);
    chains.propagating[w] = product(wait.wait, own.largest_scale());
    const bool hands_on = wait.sum > 0 && wait.first < wait.last;
    Intervals::Factors factors{};
    for (std::size_t k = 0; k < factors.size(); ++k) {
      if (own.sum()[k] == 0) continue;
      const Ticks cost = product(wait.wait, own.sum()[k]);
      if (cost == 0) continue;
      chains.carried.push_back({w, static_cast<WaitKind>(k), cost});
      if (hands_on) factors[k] = ratio(cost, wait.sum);
    }
    if (!hands_on) continue;
    const Factor scale = ratio(std::min(wait.wait, wait.sum), wait.sum);
    factors[patterns::index_of(wait.kind)] += scale;
    auto& at = intervals[wait.cause_location];
    at.add(wait.first, factors);
    if (!point_to_point_only || patterns::is_point_to_point(wait.kind)) {
      at.add_scale(wait.first, scale);
    }
  }
  std::ranges::sort(chains.carried, [](const Carried& a, const Carried& b) {
    return std::tie(a.wait, a.kind) < std::tie(b.wait, b.kind);
  });
  return chains;
}

}  // namespace latecomer::causes
