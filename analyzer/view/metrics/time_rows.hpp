// SPDX-License-Identifier: BSD-3-Clause
// Prints waiting over the time of the run, from the time slices of a report.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/report/cube/read_cube.hpp"
#include "analyzer/view/text/colours.hpp"
#include "archive/result.hpp"

namespace latecomer::view {

// Times of waiting per slice of the run, in seconds.
struct TimeRows {
  struct Series {
    std::string metric, display;
    double total = 0;
    std::vector<std::vector<double>> metahosts;  // seconds by slice
    std::vector<double> sum;                     // sum over all metahosts
  };
  std::string file;
  std::size_t slices = 0;
  double seconds = 0;  // length of a slice
  std::size_t locations = 0;
  std::vector<std::string> metahosts;
  std::vector<Series> series;  // in the order of the request; if all were requested, largest first
  std::optional<std::size_t> top;  // only the slices with the largest values of the first series
};

// Reads the slices of the metrics that are named, or of all metrics that have slices. A Problem if
// the report or a named metric has none.
[[nodiscard]] Result<TimeRows> time_rows(const report::Report& report,
                                         const std::vector<std::string>& metrics,
                                         std::optional<std::size_t> top);

// A line for each twentieth of the run, or for each top slice; only the first four metrics.
[[nodiscard]] std::string time_text(const TimeRows& rows, const Colours& colours);
// All slices of each metahost.
[[nodiscard]] nlohmann::ordered_json time_json(const TimeRows& rows);
// A line per metric, metahost and slice that is not zero.
void time_csv(const TimeRows& rows, std::ostream& out);

}  // namespace latecomer::view
