// SPDX-License-Identifier: BSD-3-Clause
// What several runs without a change looked like: mean and spread of every metric.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "analyzer/view/check/run_values.hpp"

namespace latecomer::view {

inline constexpr int kBaselineVersion = 1;

struct Baseline {
  struct Spread {
    std::string unit;
    double mean = 0;
    double deviation = 0;  // of the sample; 0 for one run
    double minimum = 0, maximum = 0;
  };
  std::string source, program;
  std::uint64_t runs = 0, ranks = 0;
  std::map<std::string, Spread> metrics;

  // By how much one more run may differ from the mean by chance: only one of a thousand runs
  // exceeds mean + noise, if runs are normally distributed (prediction interval with Student's t).
  // 0 for one run: nothing is known (judge() says so).
  [[nodiscard]] double noise(const std::string& metric) const;
};

// Runs of other numbers of ranks, or partial ones, are refused. A metric that a run does not have
// counts as zero.
[[nodiscard]] Result<Baseline> baseline_of(std::span<const RunValues> runs);

[[nodiscard]] nlohmann::ordered_json to_json(const Baseline& baseline);
[[nodiscard]] bool is_baseline(const nlohmann::json& json);
[[nodiscard]] Result<Baseline> baseline_from_json(const nlohmann::json& json,
                                                  const std::string& source);

// The 99.9 % quantile of Student's t distribution.
[[nodiscard]] double student_999(std::uint64_t degrees_of_freedom);

}  // namespace latecomer::view
