// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/causes/cost_chains.hpp"

#include <algorithm>

namespace latecomer::causes {
namespace {

constexpr int kBits = 40;

Wide ratio(Ticks part, Ticks whole) { return rounded_division(Wide{part} << kBits, whole); }
Ticks product(Ticks time, Wide factor) {
  return static_cast<Ticks>((factor * time + (Wide{1} << (kBits - 1))) >> kBits);
}

}  // namespace

void CostChains::Intervals::add(std::uint32_t first, WaitKind kind, Factor factor) {
  const auto k = patterns::index_of(kind);
  sum_[k] += factor;
  if (count_[k]++ == 0) carried_.add(k);
  open_.push({first, kind, factor});
}

void CostChains::Intervals::reach(std::uint32_t point) {
  for (; !open_.empty() && open_.top().first > point; open_.pop()) {
    const auto k = patterns::index_of(open_.top().kind);
    sum_[k] -= open_.top().factor;
    if (--count_[k] == 0) carried_.remove(k);
  }
  while (!scales_.empty() && scales_.top().first > point) scales_.pop();
}

void CostChains::visit(const GraphWait& wait, std::uint32_t number, Chains& chains) {
  if (!wait.costs) return;
  for (; !early_.empty() && early_.top().event >= wait.when(); early_.pop()) {
    hand_on(early_.top());
  }
  auto& own = intervals_[wait.location];
  own.reach(wait.point);
  if (const Ticks propagating = product(wait.wait, own.largest_scale()); propagating != 0) {
    chains.propagating.push_back({number, propagating});
  }
  const bool hands_on = wait.sum > 0 && wait.first < wait.last;
  if (own.empty() && !hands_on) return;
  // A cause may be a location of its own: its factors are added only now.
  Load load;
  load.event = wait.event;
  load.to = wait.cause_location;
  load.first = wait.first;
  load.kind = wait.kind;
  own.carried().for_each([&](std::size_t k) {
    const Ticks cost = product(wait.wait, own.sum(k));
    if (cost == 0) return;
    chains.carried.push_back({number, static_cast<WaitKind>(k), cost});
    if (hands_on) load.add(k, ratio(cost, wait.sum));
  });
  if (!hands_on) return;
  load.scale = ratio(std::min(wait.wait, wait.sum), wait.sum);
  load.add(patterns::index_of(wait.kind), load.scale);
  wait.seen_late ? early_.push(load) : hand_on(load);
}

void CostChains::hand_on(const Load& load) {
  auto& at = intervals_[load.to];
  load.kinds.for_each(
      [&](std::size_t k) { at.add(load.first, static_cast<WaitKind>(k), load.factors[k]); });
  if (!point_to_point_only_ || patterns::is_point_to_point(load.kind)) {
    at.add_scale(load.first, load.scale);
  }
}

}  // namespace latecomer::causes
