// SPDX-License-Identifier: BSD-3-Clause
// All values of one metric, read from a report.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "analyzer/report/anchor_reader.hpp"
#include "analyzer/report/tar_reader.hpp"
#include "archive/result.hpp"

namespace latecomer::report {

// A minimum or maximum of nothing (formats/cube4, 5): in metrics of these types also what has no
// row.
inline constexpr double kNothingSeen = std::numeric_limits<double>::quiet_NaN();

// Exclusive along the call tree, inclusive of child metrics; seconds, occurrences or bytes. Whole
// numbers are exact up to 2^53.
class MetricValues {
 public:
  MetricValues() = default;
  MetricValues(std::size_t call_paths, std::size_t columns)
      : columns_(columns), slot_(call_paths, kNone) {}

  // One value per location; empty if all are zero.
  [[nodiscard]] std::span<const double> row(std::uint32_t call_path) const {
    if (call_path >= slot_.size() || slot_[call_path] == kNone) return {};
    return std::span(values_).subspan(slot_[call_path] * columns_, columns_);
  }
  // The row for writing, made of zeros if it is not there yet. Invalidates other rows.
  [[nodiscard]] std::span<double> make_row(std::uint32_t call_path);

 private:
  std::size_t columns_ = 0;
  std::vector<std::uint32_t> slot_;  // per call path
  std::vector<double> values_;
};

// Values of a metric of `anchor`. Missing members or rows are zeros; derived metrics have none.
// Problems: damaged members, types that are not one number, values that are not finite. The largest
// double of a minimum or maximum is kNothingSeen.
[[nodiscard]] Result<MetricValues> read_values(const TarReader& tar, const Anchor& anchor,
                                               std::uint32_t metric);

}  // namespace latecomer::report
