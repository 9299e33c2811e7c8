// SPDX-License-Identifier: BSD-3-Clause
// What differs between two reports in metrics that cannot be summed up: ratios, maxima.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/report/algebra/match.hpp"
#include "analyzer/view/before_after.hpp"

namespace latecomer::view {

// As it was evaluated in each report.
struct RatioChange {
  struct Place {
    std::vector<std::string> call_path;
    BeforeAfter value, own;  // with what it calls, and without
  };
  std::string metric, display, unit;
  BeforeAfter total;
  std::vector<Place> places;  // those that differ, most changed first
};

// Of the metrics of `matching.ratios` that are `chosen`. Adds to `notes` what has no values.
[[nodiscard]] std::vector<RatioChange> ratio_changes(report::Report& before, report::Report& after,
                                                     const report::Matching& matching,
                                                     const std::vector<std::string>& chosen,
                                                     std::vector<std::string>& notes);

}  // namespace latecomer::view
