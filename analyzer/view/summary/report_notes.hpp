// SPDX-License-Identifier: BSD-3-Clause
// Writes sentences about values that a report, or a formula in it, lacks.
#pragma once

#include <string>
#include <vector>

#include "analyzer/report/cube/read_cube.hpp"

namespace latecomer::view {

// The note with its count and files, e.g. "2 files missing (traces/1.evt, traces/2.evt)".
[[nodiscard]] std::string sentence(const report::QualityNote& note);

// Sentences on values that the file lacks, and on formulas that could not be evaluated at some
// place that was queried.
[[nodiscard]] std::vector<std::string> report_notes(const report::Report& report);

}  // namespace latecomer::view
