// SPDX-License-Identifier: BSD-3-Clause
// Implements `latecomer json` and `latecomer csv`: the whole content of a report, for other
// programs.
#pragma once

#include <iosfwd>

#include "analyzer/report/cube/read_cube.hpp"

namespace latecomer::view {

// Increases with every change that could break a reader.
inline constexpr int kExportVersion = 1;

// Writes one JSON object, which docs/report.schema.json describes. Values are exclusive along the
// call tree and include those of child metrics. Rows that are all zero are left out.
[[nodiscard]] Status export_json(report::Report& report, std::ostream& out);

// Writes a line for each value other than zero, after lines with "#" that describe the run.
[[nodiscard]] Status export_csv(report::Report& report, std::ostream& out);

// Writes only the lines that describe the run.
void export_csv_head(const report::Report& report, std::ostream& out);

}  // namespace latecomer::view
