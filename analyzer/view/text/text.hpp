// SPDX-License-Identifier: BSD-3-Clause
// Helper functions for text on a terminal: widths, numbers, paragraphs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace latecomer::view {

// Columns for text: the variable COLUMNS, otherwise the width of the terminal on standard output
// (each limited to 60 to 200), otherwise 100.
[[nodiscard]] std::size_t text_width();

// Number of columns of UTF-8 text.
[[nodiscard]] std::size_t width(std::string_view text);
// The columns of the widest of several lines.
[[nodiscard]] std::size_t widest_line(std::string_view text);
[[nodiscard]] std::string pad_right(std::string_view text, std::size_t columns);
[[nodiscard]] std::string pad_left(std::string_view text, std::size_t columns);
// Limits a text to `columns` columns; a text that is longer ends with "...".
[[nodiscard]] std::string cut(std::string_view text, std::size_t columns);

// 1234567 -> "1,234,567"
[[nodiscard]] std::string with_commas(std::uint64_t number);
// "1 node", "2 nodes"
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view noun);
// Four significant digits, no exponent: 12.35, 0.001235, 1235
[[nodiscard]] std::string four_digits(double value);
// The shortest text that yields this number again.
[[nodiscard]] std::string shortest(double value);
// A number of bytes with four significant digits: "812 bytes", "45.61 kB", "10.20 MB".
[[nodiscard]] std::string size_text(double bytes);
// Number of decimals that show `largest` with four significant digits.
[[nodiscard]] int decimals_for(double largest);
[[nodiscard]] std::string fixed(double value, int decimals);
// A time in a suitable unit: "12.35 s", "4.000 ms", "-75.00 ns", "0 s".
[[nodiscard]] std::string duration_text(double seconds);
[[nodiscard]] std::string percent(double part, double whole, int decimals);

// Breaks text at blanks. Every line starts with `indent` and has at most `columns` columns, if its
// words allow. A line feed ends a paragraph; paragraphs are separated by empty lines.
[[nodiscard]] std::string wrapped(std::string_view text, std::string_view indent,
                                  std::size_t columns);

// Rows of cells. Each column is as wide as its widest cell; two blanks separate columns.
class Table {
 public:
  // One letter per column: 'l' or 'r' for flush left or right.
  explicit Table(std::string alignment) : alignment_(std::move(alignment)) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  [[nodiscard]] std::size_t rows() const { return rows_.size(); }
  // One line per row, without blanks at its end.
  [[nodiscard]] std::string text(std::string_view indent = "") const;

 private:
  std::string alignment_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace latecomer::view
