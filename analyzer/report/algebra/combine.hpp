// SPDX-License-Identifier: BSD-3-Clause
// One report out of several: difference, mean, union.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "analyzer/report/algebra/match.hpp"
#include "analyzer/report/metric_values.hpp"
#include "analyzer/report/model.hpp"

namespace latecomer::report {

// A report in memory that was not made from a trace. Values as in MetricValues.
struct Combined {
  Definitions definitions;
  std::vector<std::string> units;  // per metric
  std::vector<MetricValues> values;
  // Metrics that cannot be summed up, by index: formulas, which have no values, and minima and
  // maxima.
  std::map<std::uint32_t, StoredMetric> special;
  std::vector<std::string> notes;  // what was left out besides, in sentences
};

enum class Operation : std::uint8_t {
  kDiff,   // the second less the first
  kMean,   // what a report does not have is zero
  kMerge,  // each metric from the first report that has it
};

// The values of input i of `matching`, in its metrics, call paths and columns.
[[nodiscard]] Result<MetricValues> matched_values(const Matching& matching,
                                                  std::span<Report* const> reports, std::size_t i,
                                                  std::uint32_t metric);

// What is said of metrics that are not in `result`: those that `matching` names as failed, and
// `ratios`.
void note_left_out(const Matching& matching, const std::vector<std::string>& ratios,
                   Combined& result);

[[nodiscard]] Result<Combined> combine(Operation operation, const Matching& matching,
                                       std::span<Report* const> reports);

}  // namespace latecomer::report
