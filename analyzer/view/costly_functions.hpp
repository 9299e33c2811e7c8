// SPDX-License-Identifier: BSD-3-Clause
// Which functions of the program cost most to record, and a filter that leaves them out.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analyzer/report/read_cube.hpp"
#include "archive/result.hpp"

namespace latecomer::view {

struct CostlyFunction {
  std::string name;     // as people read it
  std::string pattern;  // of a filter: "leaf", "MANGLED _ZN3app4leafEv"
  double visits = 0;    // of all ranks
  double cost = 0;      // seconds that recording its events took
  double own = 0;       // seconds in the function itself, the cost included
};

struct CostlyFunctions {
  std::vector<CostlyFunction> left_out;  // by a filter; the most costly one first
  double seconds = 0;                    // that all of measuring took
  double time = 0;                       // processor time of the run, or the run times of its ranks
  std::uint64_t events = 0;              // of the trace

  [[nodiscard]] double saved() const;  // seconds
};

// Instrumented functions and named regions, most costly first, until measuring takes no more than
// 2 % of the time, or none is left that takes 0.1 %. A root of the call tree stays. A Problem: the
// report does not tell what measuring cost.
[[nodiscard]] Result<CostlyFunctions> costly_functions(report::Report& report);

// A filter file (docs/regions.md) that leaves these functions out.
[[nodiscard]] std::string filter_text(const CostlyFunctions& functions);
[[nodiscard]] std::string costly_functions_text(const CostlyFunctions& functions);
[[nodiscard]] nlohmann::ordered_json costly_functions_json(const CostlyFunctions& functions);

}  // namespace latecomer::view
