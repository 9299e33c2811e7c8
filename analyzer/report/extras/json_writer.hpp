// SPDX-License-Identifier: BSD-3-Clause
// Writes JSON piece by piece, in the format of nlohmann::json::dump(1). A tree of values would cost
// ten times as much.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

namespace latecomer::report {

// Objects and arrays end with the scope in which they begin:
//
//   JsonWriter out;
//   {
//     const auto run = out.object();
//     out.member("duration", 12.5);
//     const auto hosts = out.array("metahosts");
//     out.value("bonn");
//   }
//   out.take()    {"duration": 12.5, "metahosts": ["bonn"]}, a value per line
//
// The report has the keys of an object in the order of their bytes; writers of sections keep it.
class JsonWriter {
 public:
  // Ends an array or an object when it is destroyed.
  class [[nodiscard]] Scope {
   public:
    Scope(JsonWriter& out, char end) : out_(out), end_(end) {}
    ~Scope() { out_.close(end_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    JsonWriter& out_;
    const char end_;
  };

  Scope object() { return open('{', '}'); }
  Scope array() { return open('[', ']'); }
  Scope object(std::string_view name) { return key(name).object(); }
  Scope array(std::string_view name) { return key(name).array(); }

  // The next value belongs to this key.
  JsonWriter& key(std::string_view name) {
    value(name);
    text_ += ": ";
    after_key_ = true;
    return *this;
  }
  template <typename T>
  void member(std::string_view name, const T& what) {
    key(name).value(what);
  }

  // Invalid UTF-8 becomes U+FFFD.
  void value(std::string_view text);
  void value(const std::string& text) { value(std::string_view(text)); }
  void value(const char* text) { value(std::string_view(text)); }
  void value(std::nullptr_t) { word("null"); }
  void value(bool is) { word(is ? "true" : "false"); }
  void value(double number);  // null if it is not finite
  void value(std::integral auto number) {
    begin();
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    text_.append(digits.data(), end);
  }
  // Nothing is null.
  template <typename T>
  void value(const std::optional<T>& what) {
    if (what) {
      value(*what);
    } else {
      value(nullptr);
    }
  }
  template <std::ranges::range List>
  void value(const List& list) {
    const auto all = array();
    for (const auto& one : list) value(one);
  }
  // An array of values that may have different types.
  void row(const auto&... values) {
    const auto all = array();
    (value(values), ...);
  }

  // An array with what `write_one` writes for each element.
  template <std::ranges::range List, typename WriteOne>
  void list(std::string_view name, const List& elements, WriteOne&& write_one) {
    const auto all = array(name);
    for (const auto& element : elements) write_one(element);
  }

  // Returns the text; the writer is empty afterwards.
  [[nodiscard]] std::string take() { return std::exchange(text_, {}); }

 private:
  Scope open(char begin_with, char end_with) {
    begin();
    text_ += begin_with;
    line_ += ' ';
    first_ = true;
    return {*this, end_with};
  }
  void close(char bracket) {
    line_.pop_back();
    if (!first_) text_.append(line_, 1);
    text_ += bracket;
    first_ = false;
  }
  void word(std::string_view plain) {
    begin();
    text_ += plain;
  }
  // Each value of an array or object begins a new line, except the value after a key.
  void begin() {
    if (!after_key_ && !text_.empty()) text_.append(line_, first_ ? 1 : 0);
    first_ = after_key_ = false;
  }

  std::string text_;
  std::string line_ = ",\n";  // separator of two values: comma, line end, indentation
  bool first_ = false, after_key_ = false;
};

}  // namespace latecomer::report
