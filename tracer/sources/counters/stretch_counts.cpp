// SPDX-License-Identifier: BSD-3-Clause
// Adds up differences.
#include "tracer/sources/counters/stretch_counts.hpp"

#include <utility>

namespace latecomer::counters {

bool StretchCounts::is_later(const Values& now) const {
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i] < last_[i]) return false;
  }
  return true;
}

void StretchCounts::computation_ends(const Values& now) {
  if (!is_later(now)) return;
  for (std::size_t i = 0; i < now.size(); ++i) {
    counted_[i] += now[i] - last_[i];
    any_ = any_ || now[i] != last_[i];
  }
  last_ = now;
}

void StretchCounts::computation_goes_on(const Values& now) {
  if (is_later(now)) last_ = now;
}

StretchCounts::Values StretchCounts::take() {
  any_ = false;
  return std::exchange(counted_, Values{});
}

}  // namespace latecomer::counters
