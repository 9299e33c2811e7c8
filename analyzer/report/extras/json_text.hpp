// SPDX-License-Identifier: BSD-3-Clause
// Writes JSON as text, in the format of nlohmann::json::dump(1). Long values are written this way
// because a tree of values would cost ten times as much.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace latecomer::report {

// Writes a value that is nested `depth` levels deep in a text. Keys of an object have to come in
// the order of their bytes.
class JsonText {
 public:
  explicit JsonText(std::size_t depth) : line_(",\n" + std::string(depth, ' ')) {}

  // Begins an array ('[') or an object ('{').
  void open(char bracket) {
    begin();
    text_ += bracket;
    line_ += ' ';
    first_ = true;
  }
  void close(char bracket) {
    line_.pop_back();
    if (!first_) text_.append(line_, 1);
    text_ += bracket;
    first_ = false;
  }
  void key(std::string_view name) {
    word(name);
    text_ += ": ";
    after_key_ = true;
  }
  // Writes a string, which must not contain characters that JSON escapes.
  void word(std::string_view name) {
    begin();
    text_ += '"';
    text_ += name;
    text_ += '"';
  }
  void number(std::integral auto value) {
    begin();
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    text_.append(digits.data(), end);
  }
  void number(double value) {
    begin();
    text_ += nlohmann::json(value).dump();
  }
  // Returns the text; the writer cannot be used any more.
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  // Each value of an array or object begins a new line, except the value after a key.
  void begin() {
    if (!after_key_ && !text_.empty()) text_.append(line_, first_ ? 1 : 0);
    first_ = after_key_ = false;
  }
  std::string text_;
  std::string line_;  // separator of two values: comma, line end, indentation
  bool first_ = false, after_key_ = false;
};

}  // namespace latecomer::report
