// SPDX-License-Identifier: BSD-3-Clause
// A value in a formula: a number, a text, or a row with one number per column.
#pragma once

#include <string>
#include <vector>

namespace latecomer::report::formula {

// One of number, text or row, as `kind` says. Conversions are implicit on purpose.
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

// number_of() reads the number at the begin of a text; 0 if there is none. text_of() writes a
// number as briefly as possible.
[[nodiscard]] double number_of(const std::string& text);
[[nodiscard]] std::string text_of(double number);

}  // namespace latecomer::report::formula
