// SPDX-License-Identifier: BSD-3-Clause
// Values of a metric that cannot be summed up: for the page they are evaluated for everything that
// can be selected.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/report/read_cube.hpp"
#include "analyzer/view/html/own_values.hpp"

namespace latecomer::view {

// With C call paths, row c is what call path c has with all it calls, row C + c what it has
// without, row 2 C + r what the function r has wherever it was called. A row that is not there is
// the same as another: 2 C + r as that of the first call path of the function without what it
// calls, C + c as c; of c it means zeros. Not a number: no value.
//
// Column 0 is of all processes together; then come the nodes, the processes, and the threads of
// processes with several of them, as the page numbers the places of its tree. Or there is column 0
// alone.
struct ValueTable {
  std::size_t columns = 1;
  std::vector<OwnRow> rows;  // OwnRow::call_path is the number of the row
};

[[nodiscard]] std::size_t places_of(const report::Definitions& definitions);

// With `places`, else column 0 alone.
[[nodiscard]] ValueTable value_table(report::Report& report, std::uint32_t metric, bool places);

}  // namespace latecomer::view
