// SPDX-License-Identifier: BSD-3-Clause
// Sentences on values that a report, or the formulas in it, do not have.
#pragma once

#include <string>
#include <vector>

#include "analyzer/report/read_cube.hpp"

namespace latecomer::view {

[[nodiscard]] std::string sentence(const report::QualityNote& note);

// Values missing in the file, and formulas that could not be evaluated where somebody has looked.
[[nodiscard]] std::vector<std::string> report_notes(const report::Report& report);

}  // namespace latecomer::view
