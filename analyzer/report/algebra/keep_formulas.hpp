// SPDX-License-Identifier: BSD-3-Clause
// Keeps metrics that cannot be summed in reports that are computed from other reports: ratios and
// the like as formulas, minima and maxima as values.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analyzer/report/algebra/combine.hpp"

namespace latecomer::report {

// Adds the metrics of the reports that cannot be summed to `to`. A formula is added if `to` has its
// operands and all reports agree on it. Returns the names of the metrics that are left out.
// `wanted` is by index of the metrics of the first report; empty: all. `places` maps call paths and
// columns of each report to those of `to`, for minima and maxima; empty: these are left out.
[[nodiscard]] Result<std::vector<std::string>> keep_formulas(
    std::span<Report* const> reports, Combined& to, std::span<const Matching::Input> places,
    const std::vector<bool>& wanted = {});

}  // namespace latecomer::report
