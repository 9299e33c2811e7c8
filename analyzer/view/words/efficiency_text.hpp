// SPDX-License-Identifier: BSD-3-Clause
// Prints the efficiencies of a run in a line or two.
#pragma once

#include <string>

#include "analyzer/report/extras/pop_efficiency.hpp"

namespace latecomer::view {

// Text of the efficiencies: "efficiency: 62 % = load balance 80 % x
// communication 77 % (serialization 96 % x transfer 80 %)". If the program has several phases, a
// line with the longest ones follows. Empty if the main ones are not known.
[[nodiscard]] std::string efficiency_text(const report::Efficiency& efficiency);

}  // namespace latecomer::view
