// SPDX-License-Identifier: BSD-3-Clause
// The totals of one run, to which conditions apply.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analyzer/report/cube/read_cube.hpp"
#include "archive/result.hpp"

namespace latecomer::view {

// The totals of one run, and what is needed to judge them.
struct RunValues {
  struct Value {
    std::string display, unit;
    double total = 0;  // over call paths and locations, including its parts
  };
  std::string source, program;
  std::uint64_t ranks = 0;
  bool partial = false;
  // True if a metric that is absent is zero because no process waited for it. Reports of other
  // tools, and parts of reports, do not have all metrics.
  bool has_all = false;
  // If not all: names of those that are zero if they are absent, and the reason.
  std::vector<std::string> tells;
  bool waits_at_least = false;     // later waits are not known
  std::vector<std::string> notes;  // notes on data quality
  // The metrics, and the values of run_numbers() that the report has, by unique name.
  std::map<std::string, Value> metrics;
};

// A Problem if the report is a difference of reports or has no time: its values are not those of a
// run.
[[nodiscard]] Result<RunValues> run_values(report::Report& report);

// Reads the output of `latecomer json`. `source` is for messages.
[[nodiscard]] Result<RunValues> run_values(const nlohmann::json& exported,
                                           const std::string& source);

}  // namespace latecomer::view
