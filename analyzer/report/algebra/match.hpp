// SPDX-License-Identifier: BSD-3-Clause
// Finds out which metrics, call paths and processes of several reports are the same.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/report/cube/read_cube.hpp"
#include "archive/result.hpp"

namespace latecomer::report {

// The union of several reports, and where the items of each report are in it. Metrics are the same
// if they have the same unique name and unit. Call paths are the same if the names of their regions
// agree from the root on. The k-th of several siblings with one name corresponds to the k-th in
// every report. Programs may have different names if they call a function of the same name.
struct Matching {
  Definitions definitions;  // the union; items of several reports are as the first one has them
  std::vector<std::string> units;  // per metric, as in the file
  // Mapping of one report.
  struct Input {
    // Index in `definitions` for each index in the report; kNone: not there.
    std::vector<std::uint32_t> metrics, call_paths, columns;
  };
  std::vector<Input> inputs;
  // The processes or threads differ: the only column holds the sums over all of them.
  bool collapsed = false;
  // Sentences on what was left out and why, and on reports that may not belong together.
  std::vector<std::string> notes;
  // Names of metrics that are left out: those that cannot be summed (ratios, maxima), and those
  // whose formula has no values. If values are compared, a metric is left out of all reports if it
  // is one of these in any of them. Otherwise another report may have it as an ordinary metric.
  std::vector<std::string> ratios, failed;
  // Names of metrics that are left out since one of the reports does not tell them (Extras::tells).
  std::vector<std::string> untold;
};

// Properties that reports must have in common.
enum class Common : std::uint8_t {
  kMetricsAndCallPaths,  // values are compared
  kCallPaths,            // different metrics are put together
};

// Matches the reports. Leaves out hidden metrics and those that cannot be summed (ratios). A
// Problem if some report has nothing of `needed` in common with the first.
[[nodiscard]] Result<Matching> match(std::span<Report* const> reports,
                                     Common needed = Common::kMetricsAndCallPaths);

// Notes on metrics that cannot be summed, and on metrics without values.
[[nodiscard]] std::string note_of_ratios(const std::vector<std::string>& metrics);
[[nodiscard]] std::string note_of_failed(const std::vector<std::string>& metrics);
// "metrics x, y and 2 more are left out": `one` and `several` are the ends of the sentence.
[[nodiscard]] std::string note_of(const std::vector<std::string>& metrics, const std::string& one,
                                  const std::string& several);

}  // namespace latecomer::report
