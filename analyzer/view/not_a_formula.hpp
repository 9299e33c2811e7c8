// SPDX-License-Identifier: BSD-3-Clause
// Names in CSV, which others open in spreadsheets.
#pragma once

#include <string>
#include <string_view>

namespace latecomer::view {

// What a spreadsheet would take for a formula stands after an apostrophe: =a -> '=a
inline std::string not_a_formula(const std::string& name) {
  constexpr std::string_view kBegins = "=+-@";
  return !name.empty() && kBegins.find(name[0]) != std::string_view::npos ? "'" + name : name;
}

}  // namespace latecomer::view
