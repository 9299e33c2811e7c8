// SPDX-License-Identifier: BSD-3-Clause
// Combines several reports into one: difference, mean or union.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "analyzer/report/algebra/match.hpp"
#include "analyzer/report/model/metric_values.hpp"
#include "analyzer/report/model/model.hpp"

namespace latecomer::report {

// A report in memory that was computed from other reports. The values have the meaning described at
// MetricValues.
struct Combined {
  Definitions definitions;
  std::vector<std::string> units;  // per metric
  std::vector<MetricValues> values;
  // Metrics that cannot be summed, by index: derived metrics, which have a formula and no values,
  // and minima and maxima.
  std::map<std::uint32_t, StoredMetric> special;
  std::vector<std::string> notes;  // one sentence for each thing that was left out
};

// Operations on reports.
enum class Operation : std::uint8_t {
  kDiff,   // the second minus the first
  kMean,   // values that a report lacks count as zero
  kMerge,  // each metric from the first report that has it
};

// The values of metric `metric` of the union in input i, in the call paths and columns of the
// union.
[[nodiscard]] Result<MetricValues> matched_values(const Matching& matching,
                                                  std::span<Report* const> reports, std::size_t i,
                                                  std::uint32_t metric);

// Adds notes on the metrics that `result` lacks: those that `matching` names as failed, and
// `ratios`.
void note_left_out(const Matching& matching, const std::vector<std::string>& ratios,
                   Combined& result);

// Combines the reports from which `matching` was made, in the same order. A Problem if values
// cannot be read.
[[nodiscard]] Result<Combined> combine(Operation operation, const Matching& matching,
                                       std::span<Report* const> reports);

}  // namespace latecomer::report
