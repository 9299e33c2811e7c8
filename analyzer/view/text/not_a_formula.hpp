// SPDX-License-Identifier: BSD-3-Clause
// Makes names safe for CSV files, which may be opened in spreadsheets.
#pragma once

#include <string>
#include <string_view>

namespace latecomer::view {

// Puts an apostrophe before a name that a spreadsheet would take for a formula: =a -> '=a
inline std::string not_a_formula(const std::string& name) {
  constexpr std::string_view kBegins = "=+-@";
  return !name.empty() && kBegins.find(name[0]) != std::string_view::npos ? "'" + name : name;
}

}  // namespace latecomer::view
