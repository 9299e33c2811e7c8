// SPDX-License-Identifier: BSD-3-Clause
// `latecomer json` and `latecomer csv`: everything that a report holds, for other programs.
#pragma once

#include <iosfwd>

#include "analyzer/report/read_cube.hpp"

namespace latecomer::view {

// Changes with every change that could break a reader.
inline constexpr int kExportVersion = 1;

// One JSON object; docs/report.schema.json describes it. Values are exclusive along the call tree
// and contain those of child metrics; rows that are all zero are left out.
[[nodiscard]] Status export_json(report::Report& report, std::ostream& out);

// A line per value other than zero; before them lines that begin with "#" say what run it was.
[[nodiscard]] Status export_csv(report::Report& report, std::ostream& out);

// Those lines alone.
void export_csv_head(const report::Report& report, std::ostream& out);

}  // namespace latecomer::view
