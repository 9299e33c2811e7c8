// SPDX-License-Identifier: BSD-3-Clause
// Finds the differences between two reports in metrics that cannot be summed: ratios, maxima.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/report/algebra/match.hpp"
#include "analyzer/view/difference/before_after.hpp"

namespace latecomer::view {

// A metric as it was evaluated in each report.
struct RatioChange {
  struct Place {
    std::vector<std::string> call_path;
    BeforeAfter value, own;  // including callees, and without them
  };
  std::string metric, display, unit;
  BeforeAfter total;
  std::vector<Place> places;  // call paths that differ, largest change first
};

// Compares those metrics of `matching.ratios` that are in `chosen`. Adds to `notes` a sentence on
// each that has no values somewhere.
[[nodiscard]] std::vector<RatioChange> ratio_changes(report::Report& before, report::Report& after,
                                                     const report::Matching& matching,
                                                     const std::vector<std::string>& chosen,
                                                     std::vector<std::string>& notes);

}  // namespace latecomer::view
