// SPDX-License-Identifier: BSD-3-Clause
// The efficiencies of a run in a line or two.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace latecomer::view {

// "efficiency: 62 % = load balance 80 % x communication 77 % (serialization 96 % x transfer 80 %)"
// and a line of the longest phases of the program, if it has several,
// from key "efficiency" of latecomer.json; empty if it says nothing.
[[nodiscard]] std::string efficiency_text(const nlohmann::json& efficiency);

}  // namespace latecomer::view
