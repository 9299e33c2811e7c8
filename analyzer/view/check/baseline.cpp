// SPDX-License-Identifier: BSD-3-Clause
// Computes sample mean and standard deviation of runs. By chance, a new run differs from the mean
// of n runs with the deviation s * sqrt(1 + 1/n).
#include "analyzer/view/check/baseline.hpp"
#include "archive/shell_word.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

namespace latecomer::view {
namespace {

constexpr const char* kKind = "latecomer baseline";

}  // namespace

double student_999(std::uint64_t degrees_of_freedom) {
  // Table of the distribution, one-sided 0.001, for 1 to 30 degrees of freedom.
  constexpr std::array<double, 30> kTable = {
      318.309, 22.327, 10.215, 7.173, 5.893, 5.208, 4.785, 4.501, 4.297, 4.144,
      4.025,   3.930,  3.852,  3.787, 3.733, 3.686, 3.646, 3.610, 3.579, 3.552,
      3.527,   3.505,  3.485,  3.467, 3.450, 3.435, 3.421, 3.408, 3.396, 3.385};
  if (degrees_of_freedom == 0) return 0;
  if (degrees_of_freedom <= kTable.size()) return kTable[degrees_of_freedom - 1];
  // Expansion of Cornish and Fisher around the normal quantile.
  constexpr double kNormal = 3.090232;
  const double square = kNormal * kNormal;
  const auto n = static_cast<double>(degrees_of_freedom);
  return kNormal *
         (1 + (square + 1) / (4 * n) + (5 * square * square + 16 * square + 3) / (96 * n * n));
}

double Baseline::noise(const std::string& metric) const {
  const auto found = metrics.find(metric);
  if (found == metrics.end() || runs < 2) return 0;
  return student_999(runs - 1) * found->second.deviation *
         std::sqrt(1 + 1 / static_cast<double>(runs));
}

Result<Baseline> baseline_of(std::span<const RunValues> runs) {
  Baseline baseline;
  baseline.runs = runs.size();
  baseline.source = runs.front().source;
  baseline.program = runs.front().program;
  baseline.ranks = runs.front().ranks;
  for (const auto& run : runs) {
    if (run.partial) {
      return Problem{run.source + " is a partial result: no baseline",
                     "latecomer show " + shell_word(run.source) + " says what is missing"};
    }
    if (run.ranks != baseline.ranks) {
      return Problem{run.source + " has " + std::to_string(run.ranks) + " ranks, " +
                         baseline.source + " " + std::to_string(baseline.ranks) +
                         ": not the same kind of run",
                     "make one baseline for each number of ranks"};
    }
    if (run.program != baseline.program) {
      return Problem{run.source + " is a run of " + run.program + ", " + baseline.source + " of " +
                         baseline.program + ": not the same kind of run",
                     "make one baseline for each program"};
    }
    for (const auto& [name, value] : run.metrics) baseline.metrics[name].unit = value.unit;
  }
  const auto n = static_cast<double>(runs.size());
  for (auto& [name, spread] : baseline.metrics) {
    std::vector<double> values;
    for (const auto& run : runs) {
      const auto found = run.metrics.find(name);
      values.push_back(found == run.metrics.end() ? 0 : found->second.total);
      spread.mean += values.back() / n;
    }
    double squares = 0;
    for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
    if (values.size() > 1) spread.deviation = std::sqrt(squares / (n - 1));
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    spread.minimum = *low;
    spread.maximum = *high;
  }
  return baseline;
}

nlohmann::ordered_json to_json(const Baseline& baseline) {
  auto metrics = nlohmann::ordered_json::object();
  for (const auto& [name, spread] : baseline.metrics) {
    metrics[name] = {{"unit", spread.unit},
                     {"mean", spread.mean},
                     {"deviation", spread.deviation},
                     {"minimum", spread.minimum},
                     {"maximum", spread.maximum}};
  }
  return {{"kind", kKind},
          {"schema_version", kBaselineVersion},
          {"program", baseline.program},
          {"ranks", baseline.ranks},
          {"runs", baseline.runs},
          {"metrics", metrics}};
}

bool is_baseline(const nlohmann::json& json) {
  return json.is_object() && json.contains("kind") && json["kind"] == kKind;
}

Result<Baseline> baseline_from_json(const nlohmann::json& json, const std::string& source) {
  const std::string hint = "write it again: latecomer check --write-baseline " +
                           shell_word(source) + " --overwrite REPORT...";
  try {
    if (json.at("schema_version").get<int>() != kBaselineVersion) {
      return Problem{source + " was written by another version of latecomer", hint};
    }
    Baseline baseline;
    baseline.source = source;
    baseline.program = json.at("program").get<std::string>();
    baseline.ranks = json.at("ranks").get<std::uint64_t>();
    baseline.runs = json.at("runs").get<std::uint64_t>();
    for (const auto& [name, spread] : json.at("metrics").items()) {
      baseline.metrics[name] = {
          spread.at("unit").get<std::string>(), spread.at("mean").get<double>(),
          spread.at("deviation").get<double>(), spread.at("minimum").get<double>(),
          spread.at("maximum").get<double>()};
    }
    if (baseline.runs > 0) return baseline;
  } catch (const nlohmann::json::exception&) {
  }
  return Problem{source + " is a damaged baseline", hint};
}

}  // namespace latecomer::view
