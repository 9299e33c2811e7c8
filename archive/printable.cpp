// SPDX-License-Identifier: BSD-3-Clause
// Decodes UTF-8 strictly; invalid bytes are shown one by one.
#include "archive/printable.hpp"

#include <array>
#include <cstdint>
#include <cstdio>

namespace latecomer {
namespace {

struct Character {
  std::uint32_t code;
  std::size_t length;  // 0: the text does not begin with a character
};

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return {first, 0};
  std::uint32_t code = first & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {first, 0};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kLeast[length] || code > 0x10ffff || surrogate) return {first, 0};
  return {code, length};
}

// True for control characters, line and paragraph separators, and characters that change the
// direction of writing.
bool acts(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 ||
         code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

std::string shown(const Character& c) {
  if (c.length == 1 && c.code == '\n') return "\\n";
  if (c.length == 1 && c.code == '\r') return "\\r";
  if (c.length == 1 && c.code == '\t') return "\\t";
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), c.length < 2 ? "\\x%02x" : "\\u%04x", c.code);
  return text.data();
}

std::string with_escapes(std::string_view text, bool lines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character c = first_character(text);
    const std::size_t length = c.length == 0 ? 1 : c.length;
    if ((c.length == 0 || acts(c.code)) && !(lines && text[0] == '\n')) {
      out += shown(c);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) { return with_escapes(text, false); }

std::string printable_lines(std::string_view text) { return with_escapes(text, true); }

}  // namespace latecomer
