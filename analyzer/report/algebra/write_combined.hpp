// SPDX-License-Identifier: BSD-3-Clause
// Writes a report that is in memory as a CUBE 4 file.
#pragma once

#include <ostream>

#include "analyzer/report/algebra/combine.hpp"

namespace latecomer::report {

// Stores all values as DOUBLE (minima and maxima with their own types), exclusive along the call
// tree. Rows that are all zero are left out. A Problem if a metric has more values than the format
// can count.
[[nodiscard]] Status write_combined(const Combined& report, std::ostream& out);

}  // namespace latecomer::report
