// SPDX-License-Identifier: BSD-3-Clause
// The arithmetic of instructions and their times.
#include "analyzer/attribution/computation/instruction_shares.hpp"

#include <algorithm>
#include <cmath>

namespace latecomer::replay {

std::optional<MoreOrSlower> compared(const Instructions& own, const Instructions& all) {
  const Instructions others = all - own;
  if (own.number <= 0 || own.ticks <= 0 || others.locations <= 0 || others.number <= 0 ||
      others.ticks <= 0) {
    return {};
  }
  const double mean = static_cast<double>(others.number) / static_cast<double>(others.locations);
  const double for_each = static_cast<double>(others.ticks) / static_cast<double>(others.number);
  const auto number = static_cast<double>(own.number), ticks = static_cast<double>(own.ticks);
  return MoreOrSlower{(number - mean) * for_each, ticks - number * for_each, number / mean,
                      ticks / number / for_each};
}

std::optional<std::int64_t> cost_of_more(std::int64_t cost, const MoreOrSlower& parts) {
  const double more = std::max(0.0, parts.more), slower = std::max(0.0, parts.slower);
  if (!(more + slower > 0)) return {};
  const auto share = std::llround(static_cast<double>(cost) * (more / (more + slower)));
  return std::clamp<std::int64_t>(share, 0, cost);
}

}  // namespace latecomer::replay
