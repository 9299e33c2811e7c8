// SPDX-License-Identifier: BSD-3-Clause
// Describes several runs of the unchanged program: mean and spread of every metric.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "analyzer/view/check/run_values.hpp"

namespace latecomer::view {

// Increases with every change that makes older baselines unreadable.
inline constexpr int kBaselineVersion = 1;

// Statistics of several runs.
struct Baseline {
  struct Spread {
    std::string unit;
    double mean = 0;
    double deviation = 0;  // sample standard deviation; 0 for one run
    double minimum = 0, maximum = 0;
  };
  std::string source, program;
  std::uint64_t runs = 0, ranks = 0;
  std::map<std::string, Spread> metrics;

  // The amount by which one more run may differ from the mean by chance. Only one run in a thousand
  // exceeds mean + noise, if runs are normally distributed (prediction interval with Student's t).
  // The noise is 0 for one run, because nothing is known then; judge() reports this.
  [[nodiscard]] double noise(const std::string& metric) const;
};

// Combines runs. A Problem if numbers of ranks or programs differ or a run is partial. A metric
// that a run lacks counts as zero.
[[nodiscard]] Result<Baseline> baseline_of(std::span<const RunValues> runs);

// Writes and reads the file of a baseline. `source` is the name of the file, for messages.
[[nodiscard]] nlohmann::ordered_json to_json(const Baseline& baseline);
[[nodiscard]] bool is_baseline(const nlohmann::json& json);
[[nodiscard]] Result<Baseline> baseline_from_json(const nlohmann::json& json,
                                                  const std::string& source);

// The 99.9 % quantile of Student's t distribution.
[[nodiscard]] double student_999(std::uint64_t degrees_of_freedom);

}  // namespace latecomer::view
