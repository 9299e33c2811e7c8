// SPDX-License-Identifier: BSD-3-Clause
// Computes the rest of a metric without its parts. Most of it is zero, so it is small.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/report/cube/read_cube.hpp"

namespace latecomer::view {

// Values of a metric without its child metrics at one call path, one per location.
struct OwnRow {
  std::uint32_t call_path = 0;
  std::vector<double> values;
};

// Flags by metric: true if its values are a part of its parent's. They are not if the units differ,
// or if the file lacks values of either.
[[nodiscard]] std::vector<bool> parts_of_parents(const report::Report& report);

// Returns the rows with a value other than zero, by call path. Differences as small as rounding
// errors are zero. `parts` comes from parts_of_parents().
[[nodiscard]] Result<std::vector<OwnRow>> own_values(report::Report& report, std::uint32_t metric,
                                                     const std::vector<bool>& parts);

}  // namespace latecomer::view
