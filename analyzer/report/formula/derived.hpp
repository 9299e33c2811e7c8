// SPDX-License-Identifier: BSD-3-Clause
// The derived metrics of a report: formulas that were read, checked, and can be evaluated.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/report/anchor_reader.hpp"
#include "analyzer/report/formula/evaluator.hpp"
#include "analyzer/report/metric_values.hpp"

namespace latecomer::report::formula {

class Aggregate;

// What goes in the place of a sum.
struct Fold {
  enum class How : std::uint8_t { kSum, kMax, kMin, kFormula } how = How::kSum;
  Bound formula;
};

class DerivedMetrics {
 public:
  using Stored = std::function<Result<const MetricValues*>(std::uint32_t)>;

  // `stored` gives the values of metrics that are no formulas.
  DerivedMetrics(const Anchor& anchor, Stored stored);
  DerivedMetrics(const DerivedMetrics&) = delete;
  DerivedMetrics& operator=(const DerivedMetrics&) = delete;
  ~DerivedMetrics();

  // Values at call paths and locations can be summed up. Not so: ratios, maxima.
  [[nodiscard]] bool adds_up(std::uint32_t metric) const { return metrics_[metric].adds_up; }
  // Why a metric has no values, as far as is known; empty: nothing is wrong.
  [[nodiscard]] const std::string& problem(std::uint32_t metric) const {
    return metrics_[metric].problem;
  }
  // Where a formula that has values elsewhere could not be evaluated, and why: the first such place
  // that somebody looked at. Empty: none so far.
  [[nodiscard]] const std::string& gap(std::uint32_t metric) const { return metrics_[metric].gap; }
  // An initial formula said that nobody should see it.
  [[nodiscard]] bool switched_off(std::uint32_t metric) const {
    return metrics_[metric].switched_off;
  }
  // The metrics that the formulas of a metric use, if these mean the same in a report with other
  // call paths: not so with ids of call paths, or variables of other metrics.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> operands(std::uint32_t metric) const;
  // Runs the initial formulas, if that was not done.
  void initialize();

  // At each call path (without what it calls) and location, of a metric that adds up. Zeros if the
  // formula cannot be evaluated; problem() tells then.
  [[nodiscard]] const MetricValues& values(std::uint32_t metric);

 private:
  friend class Aggregate;

  struct Metric {
    bool derived = false, adds_up = true, switched_off = false;
    std::string problem, gap;
    std::uint32_t depth = 0;  // of the formula with those it uses
    std::optional<Program> value, init, plus, minus, aggregate;
    Bound bound, bound_init;
    Fold along_calls, back, over_places;      // plus, minus, aggr
    std::unique_ptr<MetricValues> values;     // exclusive
    std::unique_ptr<MetricValues> inclusive;  // as they were evaluated, if they were evaluated so
    double nothing = 0;  // where there is no row: kNothingSeen of stored minima and maxima
  };

  void read(std::uint32_t metric);
  void read_one(std::uint32_t metric, const std::string& text, const char* which,
                std::optional<Program>& to);
  void find_order();
  void finish(std::uint32_t metric);
  [[nodiscard]] bool linear(const Program& program, std::uint32_t node) const;
  [[nodiscard]] std::vector<std::uint32_t> used_by(std::uint32_t metric) const;
  void count_globals();
  void bind();
  Fold fold_of(const std::optional<Program>& program);
  void fail(std::uint32_t metric, const Stop& stop, const std::string& text, const char* which);
  // Not a reason to have no values elsewhere.
  void fail_at(std::uint32_t metric, const Stop& stop, std::span<const std::uint32_t> call_paths);

  // The values that a stored metric, or one evaluated at each call path and location, has there.
  [[nodiscard]] const MetricValues& at_locations(std::uint32_t metric);
  [[nodiscard]] MetricValues inclusive_at_locations(std::uint32_t metric);
  [[nodiscard]] MetricValues evaluated(std::uint32_t metric, bool inclusive);
  [[nodiscard]] MetricValues without_callees(const MetricValues& inclusive, Fold& back);
  [[nodiscard]] bool evaluated_after(std::uint32_t metric) const;

  // Counts steps of everything that is evaluated while it exists.
  class Steps;

  const Anchor& anchor_;
  Stored stored_;
  Environment environment_;
  std::vector<Metric> metrics_;
  std::unique_ptr<MetricValues> none_;  // of metrics without values of their own
  std::unordered_map<std::string, std::uint32_t> globals_;  // name -> metrics that declare it
  std::vector<std::vector<std::uint32_t>> children_;        // of call paths
  std::vector<std::uint32_t> roots_;
  std::unique_ptr<Aggregate> locations_, whole_;
  std::size_t nodes_ = 0, cells_ = 0;
  bool initialized_ = false;
  int nested_ = 0;
  std::uint64_t most_steps_ = 0, steps_left_ = 0;
};

}  // namespace latecomer::report::formula
