// SPDX-License-Identifier: BSD-3-Clause
// Reads a line of words and whole numbers.
#pragma once

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

namespace latecomer::sync {

// Takes the words of a text one by one; they are separated by one character each. After any failure
// complete() is false.
class Words {
 public:
  explicit Words(std::string_view text, char separator = ' ')
      : rest_(text), separator_(separator) {}

  std::string_view word() {
    if (ended_) ok_ = false;
    const std::string_view found = rest_.substr(0, rest_.find(separator_));
    ended_ = found.size() == rest_.size();
    rest_.remove_prefix(std::min(found.size() + 1, rest_.size()));
    ok_ = ok_ && !found.empty();
    return found;
  }
  template <typename Integer>
  Integer number() {
    Integer value{};
    const std::string_view text = word();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    ok_ = ok_ && error == std::errc() && end == text.data() + text.size();
    return value;
  }
  bool flag(std::string_view no, std::string_view yes) {
    const std::string_view text = word();
    ok_ = ok_ && (text == yes || text == no);
    return text == yes;
  }

  [[nodiscard]] bool more() const { return !ended_; }
  // True if all words were understood and none is left.
  [[nodiscard]] bool complete() const { return ok_ && ended_; }

 private:
  std::string_view rest_;
  char separator_;
  bool ok_ = true;
  bool ended_ = false;
};

}  // namespace latecomer::sync
