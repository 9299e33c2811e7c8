// SPDX-License-Identifier: BSD-3-Clause
// A part of a report.
#pragma once

#include <vector>

#include "analyzer/report/algebra/combine.hpp"

namespace latecomer::report {

struct Cut {
  std::vector<bool> roots;  // call paths that become roots, without what calls them; none: all stay
  std::vector<bool> pruned;   // call paths that go with all they call; callers get their values
  std::vector<bool> metrics;  // that stay; with them what they are parts of; none: all
};

// Flags are by index of the report's definitions; empty: none is set. A Problem if nothing is left.
[[nodiscard]] Result<Combined> cut(Report& report, const Cut& cut);

}  // namespace latecomer::report
