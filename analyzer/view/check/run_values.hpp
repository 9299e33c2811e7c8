// SPDX-License-Identifier: BSD-3-Clause
// The totals of one run that conditions are about.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analyzer/report/read_cube.hpp"
#include "archive/result.hpp"

namespace latecomer::view {

struct RunValues {
  struct Value {
    std::string display, unit;
    double total = 0;  // over call paths and locations, with its parts
  };
  std::string source, program;
  std::uint64_t ranks = 0;
  bool partial = false;
  // A metric that is not there is zero: nobody waited for it. Other tools, and parts of reports, do
  // not have all metrics.
  bool has_all = false;
  std::vector<std::string> notes;  // on the quality of its data
  // By unique name; besides the metrics those of run_numbers() that the report tells.
  std::map<std::string, Value> metrics;
};

// A Problem if it is a difference of reports, or has no time: such values are not those of a run.
[[nodiscard]] Result<RunValues> run_values(report::Report& report);

// Of what `latecomer json` printed. `source` is for messages.
[[nodiscard]] Result<RunValues> run_values(const nlohmann::json& exported,
                                           const std::string& source);

}  // namespace latecomer::view
