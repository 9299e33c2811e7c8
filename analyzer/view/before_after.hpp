// SPDX-License-Identifier: BSD-3-Clause
// One value in two reports.
#pragma once

#include <algorithm>
#include <cmath>

namespace latecomer::view {

// Not a number: there is no value.
struct BeforeAfter {
  double before = 0, after = 0;
  [[nodiscard]] double change() const { return after - before; }
  // By more than rounding.
  [[nodiscard]] bool differs() const {
    constexpr double kRounding = 1e-12;
    if (std::isnan(before) || std::isnan(after)) return std::isnan(before) != std::isnan(after);
    return std::abs(after - before) > kRounding * std::max(std::abs(before), std::abs(after));
  }
};

}  // namespace latecomer::view
