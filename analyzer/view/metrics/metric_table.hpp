// SPDX-License-Identifier: BSD-3-Clause
// Prints chosen metrics as a tree or table for a terminal, or as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analyzer/view/metrics/metric_rows.hpp"
#include "analyzer/view/text/colours.hpp"

namespace latecomer::view {

[[nodiscard]] std::string metric_text(const MetricRows& rows, const Colours& colours);
[[nodiscard]] nlohmann::ordered_json metric_json(const MetricRows& rows);

// A value in a column whose largest value is `largest`: seconds with four significant digits of
// `largest`, whole numbers with commas.
[[nodiscard]] std::string value_text(double value, const std::string& unit, double largest);
// "seconds" for "sec", "" for counts, otherwise the unit in the report.
[[nodiscard]] std::string unit_text(const std::string& unit);

}  // namespace latecomer::view
