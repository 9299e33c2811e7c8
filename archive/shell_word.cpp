// SPDX-License-Identifier: BSD-3-Clause
// Quotes words for the shell.
#include "archive/shell_word.hpp"

#include <array>
#include <cstdio>

#include "archive/printable.hpp"

namespace latecomer {
namespace {

// Length of the character that begins with this byte, if it is valid UTF-8.
std::size_t length_of(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
}

// $'...', in which bytes that would act on a terminal are octal numbers.
std::string with_escapes(std::string_view text) {
  std::string quoted = "$'";
  while (!text.empty()) {
    const std::string_view character = text.substr(0, length_of(text.front()));
    if (character == "\\" || character == "'") {
      quoted += std::string("\\") + text.front();
    } else if (printable(character) == character) {
      quoted += character;
      text.remove_prefix(character.size());
      continue;
    } else if (character == "\n" || character == "\r" || character == "\t") {
      quoted += printable(character);
    } else {
      std::array<char, 8> octal{};
      std::snprintf(octal.data(), octal.size(), "\\%03o",
                    static_cast<unsigned>(static_cast<unsigned char>(text.front())));
      quoted += octal.data();
    }
    text.remove_prefix(1);
  }
  return quoted + "'";
}

}  // namespace

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(text);
  }
  if (printable(text) != text) return with_escapes(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace latecomer
