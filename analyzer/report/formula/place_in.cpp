// SPDX-License-Identifier: BSD-3-Clause
// Describes where in the text of a formula something is, with a few characters around it.
#include <algorithm>

#include "analyzer/report/formula/parser.hpp"

namespace latecomer::report::formula {

std::string place_in(std::string_view text, std::size_t at) {
  constexpr std::size_t kBefore = 12, kBehind = 20;
  if (at >= text.size()) return "at its end";
  const auto begin = at < kBefore ? 0 : at - kBefore;
  std::string part(text.substr(begin, at - begin + kBehind));
  // Messages contain no line feeds and no partial UTF-8 characters.
  while (!part.empty() && (part.front() & 0xc0) == 0x80) part.erase(0, 1);
  if (begin + part.size() < text.size()) {
    while (!part.empty() && (part.back() & 0x80) != 0) part.pop_back();
  }
  std::replace_if(
      part.begin(), part.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return "at character " + std::to_string(at + 1) + ": '" + (begin > 0 ? "..." : "") + part +
         (at + kBehind < text.size() ? "..." : "") + "'";
}

}  // namespace latecomer::report::formula
