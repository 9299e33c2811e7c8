// SPDX-License-Identifier: BSD-3-Clause
// Text of a formula to its tree.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "analyzer/report/formula/syntax.hpp"

namespace latecomer::report::formula {

struct SyntaxError {
  std::string what;    // "a value is expected"
  std::size_t at = 0;  // byte of the text
};

[[nodiscard]] std::variant<Program, SyntaxError> parse(std::string_view text);

// "at character 12, '...* metric::x('": where in a text something is.
[[nodiscard]] std::string place_in(std::string_view text, std::size_t at);

}  // namespace latecomer::report::formula
