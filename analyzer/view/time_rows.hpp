// SPDX-License-Identifier: BSD-3-Clause
// Waits over the time of the run, from the time slices of a report.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/report/read_cube.hpp"
#include "analyzer/view/colours.hpp"
#include "archive/result.hpp"

namespace latecomer::view {

struct TimeRows {
  struct Series {
    std::string metric, display;
    double total = 0;
    std::vector<std::vector<double>> metahosts;  // seconds per slice
    std::vector<double> sum;                     // of all metahosts
  };
  std::string file;
  std::size_t slices = 0;
  double seconds = 0;  // of a slice
  std::size_t locations = 0;
  std::vector<std::string> metahosts;
  std::vector<Series> series;      // as they were asked for; all of the report: largest first
  std::optional<std::size_t> top;  // the slices with most of the first one only
};

// Of the metrics that are named, else of all that have slices. A report without slices, and metrics
// without, are Problems.
[[nodiscard]] Result<TimeRows> time_rows(const report::Report& report,
                                         const std::vector<std::string>& metrics,
                                         std::optional<std::size_t> top);

// A line for a twentieth of the run each, or for the top slices; of several metrics the first four.
[[nodiscard]] std::string time_text(const TimeRows& rows, const Colours& colours);
// All slices of each metahost.
[[nodiscard]] nlohmann::ordered_json time_json(const TimeRows& rows);
// A line per metric, metahost and slice that is not zero.
void time_csv(const TimeRows& rows, std::ostream& out);

}  // namespace latecomer::view
