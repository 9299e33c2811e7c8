// SPDX-License-Identifier: BSD-3-Clause
// Determines the functions of the program that cost most to record, and a filter that leaves them
// out.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analyzer/report/cube/read_cube.hpp"
#include "archive/result.hpp"

namespace latecomer::view {

// A function and the cost of recording it.
struct CostlyFunction {
  std::string name;     // name as people read it
  std::string pattern;  // pattern for a filter: "leaf", "MANGLED _ZN3app4leafEv"
  double visits = 0;    // number on all ranks
  double cost = 0;      // seconds spent on recording its events
  double own = 0;       // seconds in the function itself, including the cost
};

// The functions to leave out, and the cost of measuring the run.
struct CostlyFunctions {
  std::vector<CostlyFunction> left_out;  // by the filter; the most costly one first
  double seconds = 0;                    // spent on all of measuring
  double time = 0;           // processor time of the run, or the sum of the run times of its ranks
  std::uint64_t events = 0;  // number in the trace

  [[nodiscard]] double saved() const;  // seconds
};

// Chooses instrumented functions and named regions, most costly first. Stops when measuring takes
// at most 2 % of the time, or no function takes 0.1 %. The roots of the call tree stay. A Problem
// if the report does not state what measuring cost.
[[nodiscard]] Result<CostlyFunctions> costly_functions(report::Report& report);

// A filter file (docs/regions.md) that leaves these functions out.
[[nodiscard]] std::string filter_text(const CostlyFunctions& functions);
// A table of the functions.
[[nodiscard]] std::string costly_functions_text(const CostlyFunctions& functions);
[[nodiscard]] nlohmann::ordered_json costly_functions_json(const CostlyFunctions& functions);

}  // namespace latecomer::view
