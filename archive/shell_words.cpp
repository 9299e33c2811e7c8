// SPDX-License-Identifier: BSD-3-Clause
// Parses character by character; the meaning of a backslash depends on the quotes around it.
#include "archive/shell_words.hpp"

#include <optional>

#include "archive/shell_word.hpp"

namespace latecomer {
namespace {

constexpr std::string_view kBlanks = " \t\n";

// Removes a number of at most `most` digits from the beginning of `text` and returns it.
std::optional<char> byte_of(std::string_view& text, unsigned base, std::size_t most) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  unsigned value = 0;
  std::size_t used = 0;
  for (; used < most && used < text.size(); ++used) {
    const char c = text[used];
    const auto digit = kDigits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
    if (digit >= base) break;
    value = value * base + static_cast<unsigned>(digit);
  }
  if (used == 0) return std::nullopt;
  text.remove_prefix(used);
  return static_cast<char>(value);
}

// Removes what follows a backslash in $'...' and returns its meaning.
std::string escaped(std::string_view& text) {
  constexpr std::string_view kLetters = "abefnrtv", kMeanings = "\a\b\x1b\f\n\r\t\v";
  if (const auto octal = byte_of(text, 8, 3)) return std::string(1, *octal);
  const char c = text.front();
  text.remove_prefix(1);
  if (c == 'x') {
    const auto byte = byte_of(text, 16, 2);
    return byte ? std::string(1, *byte) : "\\x";
  }
  const auto letter = kLetters.find(c);
  return std::string(1, letter == std::string_view::npos ? c : kMeanings[letter]);
}

// Removes a quoted part, after its first quote, from `text`; false if it has no end.
bool take_quoted(std::string_view& text, char quote, bool dollar, std::string& word) {
  while (!text.empty()) {
    const char c = text.front();
    text.remove_prefix(1);
    if (c == quote) return true;
    if (c != '\\' || text.empty() || (quote == '\'' && !dollar)) {
      word += c;
    } else if (dollar) {
      word += escaped(text);
    } else {
      if (text.front() != '"' && text.front() != '\\') word += c;
      word += text.front();
      text.remove_prefix(1);
    }
  }
  return false;
}

bool take_word(std::string_view& text, std::string& word) {
  while (!text.empty() && kBlanks.find(text.front()) == std::string_view::npos) {
    const bool dollar = text.starts_with("$'");
    if (dollar) text.remove_prefix(1);
    const char c = text.front();
    text.remove_prefix(1);
    if (c == '\'' || c == '"') {
      if (!take_quoted(text, c, dollar, word)) return false;
    } else if (c == '\\' && !text.empty()) {
      word += text.front();
      text.remove_prefix(1);
    } else {
      word += c;
    }
  }
  return true;
}

std::vector<std::string> split_at_blanks(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const auto end = text.find_first_of(kBlanks);
    if (end != 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return words;
}

}  // namespace

std::string command_line(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + shell_word(word);
  return text;
}

std::vector<std::string> shell_words(std::string_view text) {
  std::vector<std::string> words;
  std::string_view rest = text;
  for (;;) {
    const auto begin = rest.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return words;
    rest.remove_prefix(begin);
    if (!take_word(rest, words.emplace_back())) return split_at_blanks(text);
  }
}

}  // namespace latecomer
