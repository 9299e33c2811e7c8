// SPDX-License-Identifier: BSD-3-Clause
// What formulas calculate with: numbers, texts, and rows of numbers, one per column.
#pragma once

#include <string>
#include <vector>

namespace latecomer::report::formula {

struct Value {
  enum class Kind : unsigned char { kNumber, kText, kRow } kind = Kind::kNumber;
  double number = 0;
  std::string text;
  std::vector<double> row;

  Value() = default;
  Value(double value) : number(value) {}                                           // NOLINT
  Value(std::string value) : kind(Kind::kText), text(std::move(value)) {}          // NOLINT
  Value(std::vector<double> values) : kind(Kind::kRow), row(std::move(values)) {}  // NOLINT
};

// A text as a number: what it begins with, 0 if that is none. A number as a text: as short as
// possible.
[[nodiscard]] double number_of(const std::string& text);
[[nodiscard]] std::string text_of(double number);

}  // namespace latecomer::report::formula
