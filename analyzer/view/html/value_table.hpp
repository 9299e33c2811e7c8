// SPDX-License-Identifier: BSD-3-Clause
// Evaluates a metric that cannot be summed for everything that can be selected in the page.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/report/cube/read_cube.hpp"
#include "analyzer/view/html/own_values.hpp"

namespace latecomer::view {

// If there are C call paths, row c is the value of call path c with its callees, and row C + c the
// value without. Row 2 C + r is the value of function r at all its call paths. A row may be absent.
// Then row c is zeros, and row C + c equals row c. Row 2 C + r equals the row of the function's
// first call path without its callees. NaN: no value.
//
// Column 0 is for all processes together. The other columns are the nodes, the processes, and the
// threads of processes with several threads. Their order is that of the places in the page's tree.
// They may be absent.
struct ValueTable {
  std::size_t columns = 1;
  std::vector<OwnRow> rows;  // OwnRow::call_path is the number of the row
};

// Number of columns for places.
[[nodiscard]] std::size_t places_of(const report::Definitions& definitions);

// Evaluates the table; without `places`, column 0 only.
[[nodiscard]] ValueTable value_table(report::Report& report, std::uint32_t metric, bool places);

}  // namespace latecomer::view
