// SPDX-License-Identifier: BSD-3-Clause
// Says in which lines a cause of waiting computed longer than others.
#pragma once

#include <string>

#include "analyzer/report/extras/computation.hpp"

namespace latecomer::view {

// "it computed 1.900 s longer than the others in relax (heat.c:88)", or with several lines
// "... in relax: 61 % at heat.c:88, 30 % at heat.c:90". If most of the difference was without a
// processor, it says that. `within` is the name of the function in which the lines are. Empty if
// neither is known.
[[nodiscard]] std::string longer_text(const report::LongerComputation& longer,
                                      const std::string& within);

}  // namespace latecomer::view
