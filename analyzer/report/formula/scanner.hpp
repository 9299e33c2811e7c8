// SPDX-License-Identifier: BSD-3-Clause
// Reads the text of a formula from left to right.
#pragma once

#include <cctype>
#include <string>
#include <string_view>

#include "analyzer/report/formula/parser.hpp"

namespace latecomer::report::formula {

inline bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
inline bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
inline bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Base of the parser. Errors are thrown as SyntaxError.
class Scanner {
 protected:
  explicit Scanner(std::string_view text) : text_(text) {}

  [[noreturn]] void fail(const std::string& what) const { throw SyntaxError{what, at_}; }

  // Skips blanks.
  void space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  // True if `what` comes next, after blanks. A word must not continue with another letter.
  bool sees(std::string_view what) {
    space();
    const auto rest = text_.substr(at_);
    if (!rest.starts_with(what)) return false;
    const bool word = in_word(what.back());
    return !word || rest.size() == what.size() || !in_word(rest[what.size()]);
  }
  // Skips `what` if it comes next; returns whether it did.
  bool take(std::string_view what) {
    if (!sees(what)) return false;
    at_ += what.size();
    return true;
  }
  // Skips `what`, or fails if something else comes next.
  void need(std::string_view what) {
    if (!take(what)) fail("'" + std::string(what) + "' is expected");
  }
  // Skips `what`, which may be the begin of a word.
  bool take_prefix(std::string_view what) {
    space();
    if (!text_.substr(at_).starts_with(what)) return false;
    at_ += what.size();
    return true;
  }
  // The text up to `end`, without blanks around it; skips `end`.
  std::string up_to(char end) {
    const auto stop = text_.find(end, at_);
    if (stop == std::string_view::npos) fail(std::string("'") + end + "' is missing");
    auto name = text_.substr(at_, stop - at_);
    while (!name.empty() && is_space(name.front())) name.remove_prefix(1);
    while (!name.empty() && is_space(name.back())) name.remove_suffix(1);
    if (name.empty()) fail("a name is expected");
    at_ = stop + 1;
    return std::string(name);
  }
  std::string word() {
    space();
    const auto begin = at_;
    while (at_ < text_.size() && in_word(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace latecomer::report::formula
