// SPDX-License-Identifier: BSD-3-Clause
// The walk over the waits that adds up costs; factors are fixed-point numbers.
#include "analyzer/causes/cost_chains.hpp"

#include <algorithm>

namespace latecomer::causes {
namespace {

using memory::Wide;

// Factors have 40 bits after the point.
constexpr int kBits = 40;

Wide ratio(Ticks part, Ticks whole) { return memory::rounded_division(Wide{part} << kBits, whole); }
Ticks product(Ticks time, Wide factor) {
  return static_cast<Ticks>((factor * time + (Wide{1} << (kBits - 1))) >> kBits);
}

// True if what ends the wait may be no call of the cause. Then waits of later calls of the cause
// may be followed after this one: those at the end of a barrier in which it had waited earlier.
bool may_end_between_calls(WaitKind kind) {
  return kind == WaitKind::kThreadBarrier || kind == WaitKind::kTaskStarvation ||
         kind == WaitKind::kTaskWait;
}

}  // namespace

void CostChains::Intervals::add(std::uint32_t first, WaitKind kind, Factor factor) {
  const auto k = patterns::index_of(kind);
  sum_[k] += factor;
  auto at = open_.size();
  for (; at > left_ && open_[at - 1].first <= first; --at) {
    if (open_[at - 1].first == first && open_[at - 1].kind == kind) {
      open_[at - 1].factor += factor;
      return;
    }
  }
  if (count_[k]++ == 0) carried_.add(k);
  open_.insert(open_.begin() + static_cast<std::ptrdiff_t>(at), {first, kind, factor});
}

void CostChains::Intervals::open_next() {
  const Later next = later_.top();
  later_.pop();
  if (next.is_scale) return add_scale(next.first, next.factor);
  add(next.first, next.kind, next.factor);
}

inline void CostChains::Intervals::reach(std::uint32_t point) {
  while (!later_.empty() && later_.top().last > point) open_next();
  for (; left_ < open_.size() && open_[left_].first > point; ++left_) {
    const auto k = patterns::index_of(open_[left_].kind);
    sum_[k] -= open_[left_].factor;
    if (--count_[k] == 0) carried_.remove(k);
  }
  if (left_ > open_.size() / 2) {
    open_.erase(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(left_));
    left_ = 0;
  }
  while (!scales_.empty() && scales_.top().first > point) scales_.pop();
}

// A wait gets the costs of the intervals around it. It passes these on, together with its own
// length, to the interval of points in which its cause waited. A wait that was seen late does so
// only when the walk has reached its event.
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
  Handed handed{wait.event, wait.cause_location, wait.first, wait.last, wait.kind};
  Factor direct = 0;  // factor of its own kind: the direct cost and what it carries of that kind
  if (hands_on) direct = handed.scale = ratio(std::min(wait.wait, wait.sum), wait.sum);
  // The cause may be the same location, so each kind is read before it is added to.
  const auto hand_on_each = [&](auto&& hand_on) {
    const auto own_kind = patterns::index_of(wait.kind);
    own.carried().for_each([&](std::size_t k) {
      const Ticks cost = product(wait.wait, own.sum(k));
      if (cost == 0) return;
      chains.carried.push_back({number, static_cast<WaitKind>(k), cost});
      if (!hands_on) return;
      const Factor factor = ratio(cost, wait.sum);
      if (k == own_kind) {
        direct += factor;
      } else {
        hand_on(k, factor);
      }
    });
    if (hands_on) hand_on(own_kind, direct);
  };
  if (wait.seen_late && hands_on) {
    Load load{handed, {}};
    hand_on_each([&](std::size_t kind, Factor factor) { load.factors[kind] = factor; });
    return early_.push(load);
  }
  hand_on_each([&](std::size_t kind, Factor factor) { add(handed, kind, factor); });
  if (hands_on) add_scale(handed);
}

void CostChains::add(const Handed& handed, std::size_t kind, Factor factor) {
  if (factor == 0) return;
  auto& intervals = intervals_[handed.to];
  const auto carried = static_cast<WaitKind>(kind);
  if (may_end_between_calls(handed.kind)) {
    return intervals.add_until(handed.last, handed.first, carried, factor);
  }
  intervals.add(handed.first, carried, factor);
}

void CostChains::add_scale(const Handed& handed) {
  if (point_to_point_only_ && !patterns::is_point_to_point(handed.kind)) return;
  auto& intervals = intervals_[handed.to];
  if (may_end_between_calls(handed.kind)) {
    return intervals.add_scale_until(handed.last, handed.first, handed.scale);
  }
  intervals.add_scale(handed.first, handed.scale);
}

void CostChains::hand_on(const Load& load) {
  for (std::size_t k = 0; k < kKinds; ++k) add(load, k, load.factors[k]);
  add_scale(load);
}

}  // namespace latecomer::causes
