// SPDX-License-Identifier: BSD-3-Clause
// Which metrics, call paths and processes of several reports are the same.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/report/read_cube.hpp"
#include "archive/result.hpp"

namespace latecomer::report {

// What several reports hold together. Metrics are the same if they have the same unique name and
// unit, call paths if their regions have the same names from the root on; the k-th of several
// siblings with one name is the k-th in every report. Programs may have different names, if what
// they call has not.
struct Matching {
  Definitions definitions;         // of all; of things in several reports, that of the first
  std::vector<std::string> units;  // per metric, as in the file
  struct Input {
    // By index in the report: index in `definitions`; kNone: not there.
    std::vector<std::uint32_t> metrics, call_paths, columns;
  };
  std::vector<Input> inputs;
  // Processes and threads differ: there is one column, in which values of all are added up.
  bool collapsed = false;
  // What was left out, and why, in sentences.
  std::vector<std::string> notes;
  // Metrics that are left out, by name: those that cannot be summed up (ratios, maxima), and those
  // with formulas that have no values. What values are compared of is so in none of the reports;
  // else some report may have the metric as an ordinary one.
  std::vector<std::string> ratios, failed;
};

enum class Common : std::uint8_t {
  kMetricsAndCallPaths,  // for what compares values
  kCallPaths,            // for what puts different metrics together
};

// Hidden metrics and those that cannot be summed up (ratios) are left out. A Problem if some
// report has nothing of `needed` in common with the first.
[[nodiscard]] Result<Matching> match(std::span<Report* const> reports,
                                     Common needed = Common::kMetricsAndCallPaths);

[[nodiscard]] std::string note_of_ratios(const std::vector<std::string>& metrics);
[[nodiscard]] std::string note_of_failed(const std::vector<std::string>& metrics);
// "metrics x, y are left out": `one` and `several` are the ends of the sentence.
[[nodiscard]] std::string note_of(const std::vector<std::string>& metrics, const std::string& one,
                                  const std::string& several);

}  // namespace latecomer::report
