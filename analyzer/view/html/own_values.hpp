// SPDX-License-Identifier: BSD-3-Clause
// What is left of a metric when its parts are taken away: most of it is zero, so it is small.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/report/read_cube.hpp"

namespace latecomer::view {

// One call path of a metric, without what its child metrics hold: one value per location.
struct OwnRow {
  std::uint32_t call_path = 0;
  std::vector<double> values;
};

// For each metric whether its values are a part of its parent's. Not if it has another unit, or if
// the parent's values are not in the file.
[[nodiscard]] std::vector<bool> parts_of_parents(const report::Report& report);

// Rows with a value other than zero, by call path. Differences that are smaller than what rounding
// can do are zero.
[[nodiscard]] Result<std::vector<OwnRow>> own_values(report::Report& report, std::uint32_t metric,
                                                     const std::vector<bool>& parts);

}  // namespace latecomer::view
