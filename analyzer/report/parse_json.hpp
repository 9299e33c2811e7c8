// SPDX-License-Identifier: BSD-3-Clause
// JSON that comes from anywhere.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace latecomer::report {

// is_discarded() if it is not JSON, or has more than 100 levels: what reads and writes values calls
// itself for each level.
[[nodiscard]] nlohmann::json parse_json(std::string_view text);

// All texts and keys in it as printable() shows them.
void make_printable(nlohmann::json& json);

}  // namespace latecomer::report
