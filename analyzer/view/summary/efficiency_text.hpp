// SPDX-License-Identifier: BSD-3-Clause
// Prints the efficiencies of a run in a line or two.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace latecomer::view {

// Text of the key "efficiency" of latecomer.json: "efficiency: 62 % = load balance 80 % x
// communication 77 % (serialization 96 % x transfer 80 %)". If the program has several phases, a
// line with the longest ones follows. Empty if the key states nothing.
[[nodiscard]] std::string efficiency_text(const nlohmann::json& efficiency);

}  // namespace latecomer::view
