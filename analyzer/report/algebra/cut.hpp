// SPDX-License-Identifier: BSD-3-Clause
// Cuts a part out of a report: some of its call paths and metrics.
// A part of a report.
#pragma once

#include <vector>

#include "analyzer/report/algebra/combine.hpp"

namespace latecomer::report {

// The part to keep. Flags are by index of the report's definitions; in an empty vector none is set.
struct Cut {
  std::vector<bool> roots;  // call paths that become roots, without their callers; none: all stay
  // Call paths to remove with all they call; their values go to the callers.
  std::vector<bool> pruned;
  std::vector<bool> metrics;  // metrics that stay, together with their ancestors; none: all
};

// Returns the part. A Problem if no call path is left.
[[nodiscard]] Result<Combined> cut(Report& report, const Cut& cut);

}  // namespace latecomer::report
