// SPDX-License-Identifier: BSD-3-Clause
// One value in two reports: before and after a change.
#pragma once

#include <algorithm>
#include <cmath>

namespace latecomer::view {

// NaN: there is no value.
struct BeforeAfter {
  double before = 0, after = 0;
  [[nodiscard]] double change() const { return after - before; }
  // True if the values differ by more than rounding.
  [[nodiscard]] bool differs() const {
    constexpr double kRounding = 1e-12;
    if (std::isnan(before) || std::isnan(after)) return std::isnan(before) != std::isnan(after);
    return std::abs(after - before) > kRounding * std::max(std::abs(before), std::abs(after));
  }
};

}  // namespace latecomer::view
