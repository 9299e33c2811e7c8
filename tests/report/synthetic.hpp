// SPDX-License-Identifier: BSD-3-Clause
// Synthetic reports whose values are computed by a formula, so that every test knows the expected
// result.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/report/model/model.hpp"

namespace latecomer::test {

struct Shape {
  std::uint32_t metrics = 4, call_paths = 9, locations = 6;
  std::uint32_t machines = 1;    // more than one: several roots of the system tree
  std::uint32_t call_roots = 1;  // roots of the call tree
  bool odd_names = false;        // names that need escaping or are not UTF-8
};

// Metrics are in turn in seconds, occurrences, and bytes. Call paths are in an order that is not
// depth first. Every process with an odd rank has two threads.
[[nodiscard]] report::Definitions synthetic_definitions(const Shape& shape);

// Value of a cell, in ticks, occurrences or bytes. Many are zero: whole metrics, whole rows.
[[nodiscard]] std::int64_t synthetic_value(std::uint32_t metric, std::uint32_t call_path,
                                           std::uint32_t location);

// The values of some locations.
[[nodiscard]] report::Severities synthetic_severities(const report::Definitions& definitions,
                                                      const std::vector<std::uint32_t>& columns);

}  // namespace latecomer::test
