// SPDX-License-Identifier: BSD-3-Clause
// Escapes and cleans names, which come from programs and may contain anything.
#include "analyzer/report/cube/xml_text.hpp"

#include <array>
#include <cstdint>

namespace latecomer::report {
namespace {

// Length of the character at the start of `text` if XML allows it, else 0.
std::size_t valid_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  std::uint32_t code = first & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fU);
  }
  static constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  const bool noncharacter = code == 0xfffe || code == 0xffff;
  return code < kLeast[length] || code > 0x10ffff || surrogate || noncharacter ? 0 : length;
}

// Number of characters at the start of `text` that have one byte and need no escape.
std::size_t plain_characters(std::string_view text) {
  static constexpr auto kPlain = [] {
    std::array<bool, 256> plain{};
    for (unsigned char c = 0x20; c < 0x80; ++c) {
      plain[c] = c != '&' && c != '<' && c != '>' && c != '\'' && c != '"';
    }
    return plain;
  }();
  std::size_t length = 0;
  while (length < text.size() && kPlain[static_cast<unsigned char>(text[length])]) ++length;
  return length;
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (;;) {
    const std::size_t plain = plain_characters(text);
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const std::size_t length = valid_character(text);
    switch (length == 0 ? '?' : text[0]) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '\'':
        out += "&apos;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        if (length == 0)
          out += '?';
        else
          out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace latecomer::report
