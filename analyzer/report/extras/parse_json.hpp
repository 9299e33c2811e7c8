// SPDX-License-Identifier: BSD-3-Clause
// Parses JSON of any origin.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace latecomer::report {

// Returns a discarded value if `text` is not JSON or has more than 100 levels. The functions that
// read and write values are recursive, so deep values could overflow the stack.
[[nodiscard]] nlohmann::json parse_json(std::string_view text);

// Replaces all strings and keys by what printable() returns for them.
void make_printable(nlohmann::json& json);

}  // namespace latecomer::report
