// SPDX-License-Identifier: BSD-3-Clause
// Ratios and the like in reports that were made of others: their formulas go along. So do minima
// and maxima, as values.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analyzer/report/algebra/combine.hpp"

namespace latecomer::report {

// Adds the metrics of the reports that cannot be summed up, as formulas, if `to` has what they are
// calculated from, and all reports agree. Returns the names of those that are left out. `wanted` is
// by index of the metrics of the first report; empty: all. `places` says where the minima and
// maxima of each report belong; empty: they are left out.
[[nodiscard]] Result<std::vector<std::string>> keep_formulas(
    std::span<Report* const> reports, Combined& to, std::span<const Matching::Input> places,
    const std::vector<bool>& wanted = {});

}  // namespace latecomer::report
