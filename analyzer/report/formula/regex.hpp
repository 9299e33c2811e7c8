// SPDX-License-Identifier: BSD-3-Clause
// Regular expressions with guaranteed linear time, because reports may come from anywhere.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace latecomer::report::formula {

// Supports characters, . [a-z] [^a-z] [[:alpha:]] \d \w \s, groups, |, * + ? {m,n}, ^ $. Finds a
// match anywhere in a text. The time is proportional to the size of the pattern times that of the
// text.
class Regex {
 public:
  // Returns nothing if `pattern` is not a regular expression, or too large.
  [[nodiscard]] static std::optional<Regex> compile(std::string_view pattern);

  // True if some part of the text matches.
  [[nodiscard]] bool found_in(std::string_view text) const;
  // Number of states: the time for one character is proportional to it.
  [[nodiscard]] std::size_t size() const { return states_.size(); }

 private:
  friend class RegexCompiler;
  // A state of the automaton: reads a character of `set`, splits, checks a position, or accepts.
  struct State {
    enum class Kind : std::uint8_t { kSet, kSplit, kBegin, kEnd, kAccept } kind = Kind::kAccept;
    std::uint32_t next = 0, other = 0;  // kSplit has both
    std::uint32_t set = 0;
  };
  std::vector<State> states_;
  std::vector<std::bitset<256>> sets_;
  std::uint32_t start_ = 0;
};

}  // namespace latecomer::report::formula
