// SPDX-License-Identifier: BSD-3-Clause
// Parses the text of a formula into its tree.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "analyzer/report/formula/syntax.hpp"

namespace latecomer::report::formula {

// The first error of a formula.
struct SyntaxError {
  std::string what;    // e.g. "a value is expected"
  std::size_t at = 0;  // byte of the text
};

// Returns the tree, or the first error.
[[nodiscard]] std::variant<Program, SyntaxError> parse(std::string_view text);

// Describes a position in a text: "at character 12: '...* metric::x('".
[[nodiscard]] std::string place_in(std::string_view text, std::size_t at);

}  // namespace latecomer::report::formula
