// SPDX-License-Identifier: BSD-3-Clause
// Implements `latecomer explain METRIC REPORT`: how much of a metric a report has, where, and why.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analyzer/report/cube/read_cube.hpp"
#include "analyzer/view/summary/summary.hpp"
#include "archive/result.hpp"
#include "patterns/metric/metric.hpp"

namespace latecomer::view {

// Value, places, ranks and causes of one metric in a report.
struct ExplainedValues {
  std::string file, command;   // of the report; the program with its arguments
  std::string program, root;   // as in Summary: call paths may begin with one of them
  std::string metric, unit;    // unit as in the report
  double value = 0, time = 0;  // with its parts; seconds of all ranks, 0: not known
  std::vector<Summary::CallPathShare> call_paths;  // value of each by itself; largest first
  std::vector<RankShare> ranks;                    // largest first
  // Delay costs and wait states: who is charged with the waiting. Time without a core and such: who
  // made others wait by it.
  std::vector<Summary::Cause> causes;  // largest first
};

// A Problem if the values cannot be read, or cannot be summed.
[[nodiscard]] Result<ExplainedValues> explain_values(report::Report& report,
                                                     const patterns::Metric& metric);
[[nodiscard]] std::string text_of(const ExplainedValues& values);
[[nodiscard]] nlohmann::ordered_json json_of(const ExplainedValues& values);

}  // namespace latecomer::view
