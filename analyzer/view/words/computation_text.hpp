// SPDX-License-Identifier: BSD-3-Clause
// Prints where the computing time of a run went, as samples show it.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analyzer/report/cube/read_cube.hpp"
#include "analyzer/report/extras/computation.hpp"
#include "archive/result.hpp"

namespace latecomer::view {

// A heading and at most `rows` lines for the summary: the functions with most time of their own.
// `time` is the time of all locations, of which the shares are. Empty if there is no sample.
[[nodiscard]] std::string computation_summary(const report::Computation& computation, double time,
                                              std::size_t rows);

// The whole lists: functions, and lines with their call paths. At most `top` rows each. A Problem
// if the report has no samples.
[[nodiscard]] Result<std::string> computation_text(const report::Report& report, std::size_t top);
[[nodiscard]] Result<nlohmann::ordered_json> computation_json(const report::Report& report,
                                                              std::size_t top);

}  // namespace latecomer::view
