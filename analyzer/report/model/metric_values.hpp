// SPDX-License-Identifier: BSD-3-Clause
// The values of one metric, read from a report.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "analyzer/report/container/tar_reader.hpp"
#include "analyzer/report/model/anchor_reader.hpp"
#include "archive/result.hpp"

namespace latecomer::report {

// Value of a minimum or maximum over nothing. In metrics of these types, rows that are not stored
// have it, too.
inline constexpr double kNothingSeen = std::numeric_limits<double>::quiet_NaN();

// False for what is no number, infinite, or larger than anything that can be measured. Sums,
// squares and percentages of the others are finite.
[[nodiscard]] inline bool is_value(double x) {
  constexpr double kLargest = 1e100;
  return std::abs(x) <= kLargest;
}

// Values by call path and column: exclusive along the call tree, inclusive of child metrics;
// seconds, occurrences or bytes. Integers are exact up to 2^53.
class MetricValues {
 public:
  MetricValues() = default;
  MetricValues(std::size_t call_paths, std::size_t columns)
      : columns_(columns), call_paths_(call_paths) {}

  // One value per location; empty if all are zero.
  [[nodiscard]] std::span<const double> row(std::uint32_t call_path) const {
    if (call_path >= slot_.size() || slot_[call_path] == kNone) return {};
    return std::span(values_).subspan(slot_[call_path] * columns_, columns_);
  }
  // The row for writing; a missing row is created with zeros. Invalidates other rows.
  [[nodiscard]] std::span<double> make_row(std::uint32_t call_path);

 private:
  std::size_t columns_ = 0, call_paths_ = 0;
  // Per call path: number of its row, or kNone. Empty without rows: most metrics of some reports
  // have none, and all of these tables together would take metrics times call paths.
  std::vector<std::uint32_t> slot_;
  std::vector<double> values_;
};

// Reads the values of a metric of `anchor`. Missing members or rows are zeros; derived metrics have
// none. In minima and maxima the largest double becomes kNothingSeen. A Problem if a member is
// damaged, the type is not a single number, or a number is not a value.
[[nodiscard]] Result<MetricValues> read_values(const TarReader& tar, const Anchor& anchor,
                                               std::uint32_t metric);

}  // namespace latecomer::report
