// SPDX-License-Identifier: BSD-3-Clause
// The derived metrics of a report: formulas that have been read and checked and can be evaluated.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/report/formula/evaluator.hpp"
#include "analyzer/report/model/anchor_reader.hpp"
#include "analyzer/report/model/metric_values.hpp"

namespace latecomer::report::formula {

class Aggregate;

// The operation that replaces a sum.
struct Fold {
  enum class How : std::uint8_t { kSum, kMax, kMin, kFormula } how = How::kSum;
  Bound formula;
};

// All derived metrics of a report. MT: one thread.
class DerivedMetrics {
 public:
  using Stored = std::function<Result<const MetricValues*>(std::uint32_t)>;

  // `stored` returns the values of metrics that are not derived.
  DerivedMetrics(const Anchor& anchor, Stored stored);
  DerivedMetrics(const DerivedMetrics&) = delete;
  DerivedMetrics& operator=(const DerivedMetrics&) = delete;
  ~DerivedMetrics();

  // True if values at call paths and locations can be summed. Ratios and maxima cannot.
  [[nodiscard]] bool adds_up(std::uint32_t metric) const { return metrics_[metric].adds_up; }
  // The reason why a metric has no values, as far as it is known; empty: nothing is wrong.
  [[nodiscard]] const std::string& problem(std::uint32_t metric) const {
    return metrics_[metric].problem;
  }
  // The first place queried so far at which a formula could not be evaluated, and the reason. The
  // formula has values elsewhere. Empty: no such place so far.
  [[nodiscard]] const std::string& gap(std::uint32_t metric) const { return metrics_[metric].gap; }
  // True if an initial formula has hidden the metric.
  [[nodiscard]] bool switched_off(std::uint32_t metric) const {
    return metrics_[metric].switched_off;
  }
  // The metrics that the formulas of a metric use. Nothing if the formulas would mean something
  // else in a report with other call paths. This is so if they use ids of call paths or variables
  // of other metrics.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> operands(std::uint32_t metric) const;
  // Runs the initial formulas, once.
  void initialize();

  // Values of a metric that adds up, at each call path (exclusive) and location. Zeros if the
  // formula cannot be evaluated; then problem() has the reason.
  [[nodiscard]] const MetricValues& values(std::uint32_t metric);

 private:
  friend class Aggregate;

  // State of one metric. Members that concern formulas are empty for metrics that are stored.
  struct Metric {
    bool derived = false, adds_up = true, switched_off = false;
    std::string problem, gap;
    std::uint32_t depth = 0;  // depth of the formula, including those it uses
    std::optional<Program> value, init, plus, minus, aggregate;
    Bound bound, bound_init;
    Fold along_calls, back, over_places;   // plus, minus, aggr
    std::unique_ptr<MetricValues> values;  // exclusive
    // The inclusive values, if the formula is evaluated inclusively.
    std::unique_ptr<MetricValues> inclusive;
    double nothing = 0;  // value where there is no row: kNothingSeen in stored minima and maxima
  };

  void read(std::uint32_t metric);
  void read_one(std::uint32_t metric, const std::string& text, const char* which,
                std::optional<Program>& to);
  // Finishes all derived metrics so that each follows the metrics it uses; finds cycles.
  void find_order();
  void finish(std::uint32_t metric);
  [[nodiscard]] bool linear(const Program& program, std::uint32_t index) const;
  [[nodiscard]] std::vector<std::uint32_t> used_by(std::uint32_t metric) const;
  void count_globals();
  void bind();
  Fold fold_of(const std::optional<Program>& program);
  void fail(std::uint32_t metric, const Stop& stop, const std::string& text, const char* which);
  // Records a failure at one place; the metric may have values elsewhere.
  void fail_at(std::uint32_t metric, const Stop& stop, std::span<const std::uint32_t> call_paths);

  // The exclusive values at call paths and locations, for stored metrics and those that are
  // evaluated there. Throws Stop.
  [[nodiscard]] const MetricValues& at_locations(std::uint32_t metric);
  [[nodiscard]] MetricValues inclusive_at_locations(std::uint32_t metric);
  [[nodiscard]] MetricValues evaluated(std::uint32_t metric, bool inclusive);
  [[nodiscard]] MetricValues without_callees(const MetricValues& inclusive, Fold& back);
  // True if the formula is evaluated where the metric is queried, not at each call path and
  // location.
  [[nodiscard]] bool evaluated_after(std::uint32_t metric) const;

  // Counts the steps of everything that is evaluated while it exists.
  class Steps;

  const Anchor& anchor_;
  Stored stored_;
  Environment environment_;
  std::vector<Metric> metrics_;
  std::unique_ptr<MetricValues> none_;  // zeros, for metrics without values
  // Number of metrics that declare a global variable, by its name.
  std::unordered_map<std::string, std::uint32_t> globals_;
  std::vector<std::vector<std::uint32_t>> children_;  // by call path
  std::vector<std::uint32_t> roots_;
  std::unique_ptr<Aggregate> locations_, whole_;
  std::size_t nodes_ = 0, cells_ = 0;
  bool initialized_ = false;
  int nested_ = 0;
  std::uint64_t most_steps_ = 0, steps_left_ = 0;
};

}  // namespace latecomer::report::formula
