// SPDX-License-Identifier: BSD-3-Clause
// Whole numbers only, so that sums do not depend on their order.
#include "analyzer/causes/excess_parts.hpp"

#include <algorithm>

#include "analyzer/memory/ratio.hpp"

namespace latecomer::causes {
namespace {

using memory::rounded_ratio;
using trace::Ticks;

// Sums wrap around in damaged archives only.
void add(std::int64_t& to, std::int64_t more) { to = trace::advanced(to, more); }

// Times by one side; what counters say beyond its whole time is left out.
struct Side {
  Side(Ticks time, const TimePart& part)
      : preempted(std::clamp<Ticks>(part.preempted, 0, time)),
        blocked(std::clamp<Ticks>(part.blocked, 0, time - preempted)),
        on(time - preempted - blocked) {}
  Ticks preempted, blocked, on;
};

Computed computed(const TimePart& part, Ticks on, bool counted) {
  return {part.user, part.kernel, part.instructions, counted ? on : 0, part.page_faults};
}

std::int64_t variance(const TimePart& part) {
  constexpr double kMost = 1e15;
  if (part.samples == 0) return 0;
  const double weight = 1e-3 * (static_cast<double>(part.user) + static_cast<double>(part.kernel));
  return static_cast<std::int64_t>(
      std::min(kMost, weight * weight / static_cast<double>(part.samples)));
}

}  // namespace

ExcessParts parts_of_excess(Ticks excess, Ticks waited, const TimePart& cause,
                            const TimePart& waiter) {
  waited = std::max<Ticks>(waited, 0);
  const Side theirs(trace::advanced(waited, excess) > 0 ? waited + excess : excess, cause);
  const Side own(waited, waiter);
  ExcessParts parts;
  parts.preempted = std::max<Ticks>(0, theirs.preempted - own.preempted);
  parts.blocked = std::max<Ticks>(0, theirs.blocked - own.blocked);
  if (parts.preempted + parts.blocked > 0) {
    parts.longer = parts.preempted + parts.blocked + std::max<Ticks>(0, theirs.on - own.on);
  }
  const bool counted = (cause.instructions | waiter.instructions) != 0;
  parts.cause = computed(cause, theirs.on, counted);
  parts.waiter = computed(waiter, own.on, counted);
  parts.variance = variance(cause) + variance(waiter);
  return parts;
}

namespace {

// Adds the values that are not ticks of the cost, after f.
template <typename F>
void add_each(ExcessParts& sums, const ExcessParts& parts, F&& f) {
  for (const auto side : {&ExcessParts::cause, &ExcessParts::waiter}) {
    for (const auto value : {&Computed::user, &Computed::kernel, &Computed::instructions,
                             &Computed::ticks, &Computed::page_faults}) {
      add((sums.*side).*value, f((parts.*side).*value));
    }
  }
}

}  // namespace

void add(ExcessParts& sums, const ExcessParts& more) {
  add(sums.preempted, more.preempted);
  add(sums.blocked, more.blocked);
  add(sums.variance, more.variance);
  add_each(sums, more, [](std::int64_t value) { return value; });
}

void add_charged(ExcessParts& sums, const ExcessParts& parts, Ticks charged, Ticks cost,
                 Ticks sum) {
  if (parts.longer > 0) {
    const Ticks preempted = rounded_ratio(parts.preempted, charged, parts.longer);
    const Ticks both = rounded_ratio(parts.preempted + parts.blocked, charged, parts.longer);
    add(sums.preempted, preempted);
    add(sums.blocked, both - preempted);
  }
  add(sums.variance, rounded_ratio(rounded_ratio(parts.variance, cost, sum), cost, sum));
  add_each(sums, parts, [&](std::int64_t value) { return rounded_ratio(value, cost, sum); });
}

void add(ComparedPlace& sums, const ComparedPlace& more) {
  add(sums.cause, more.cause);
  add(sums.waiter, more.waiter);
  add(sums.cause_variance, more.cause_variance);
  add(sums.waiter_variance, more.waiter_variance);
}

void add_charged(ComparedPlace& sums, const ComparedPlace& place, Ticks cost, Ticks sum) {
  const auto once = [&](std::int64_t value) { return rounded_ratio(value, cost, sum); };
  add(sums, {once(place.cause), once(place.waiter), once(once(place.cause_variance)),
             once(once(place.waiter_variance))});
}

}  // namespace latecomer::causes
