// SPDX-License-Identifier: BSD-3-Clause
// The value of a metric at groups of locations. For a ratio that is the ratio of the sums.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/report/formula/derived.hpp"

namespace latecomer::report::formula {

// Kinds of places in the system tree, with CUBE's numbers.
enum class PlaceKind : std::uint8_t { kNode = 5, kProcess = 6, kLocation = 7 };

// A value that has been computed for the place of that number.
struct KnownValue {
  std::uint64_t place = 0;
  Value value;
};

// Evaluates metrics at groups of locations. MT: one thread, as everything that refers to a report.
class Aggregate : public Operands {
 public:
  // Location i is in group group_of[i]; kNone: in none.
  Aggregate(DerivedMetrics& metrics, std::vector<std::uint32_t> group_of, std::size_t groups,
            PlaceKind kind);

  // One value per group at a call path, including its callees or not. NaN: no value.
  [[nodiscard]] std::vector<double> at(std::uint32_t metric, std::uint32_t call_path,
                                       bool inclusive);
  // One value per group at several call paths together. If `inclusive`, none of them may be an
  // ancestor of another.
  [[nodiscard]] std::vector<double> over(std::uint32_t metric,
                                         std::span<const std::uint32_t> call_paths,
                                         bool inclusive = true);

  // Implementation of Operands. All of these throw Stop.
  [[nodiscard]] std::size_t columns() const override { return groups_; }
  [[nodiscard]] Value metric(std::uint32_t metric, Flavour flavour) override;
  [[nodiscard]] double fixed(std::uint32_t metric) override;
  [[nodiscard]] double call(std::uint32_t metric, double call_path, Flavour flavour,
                            std::optional<double> location) override;
  [[nodiscard]] Value calculation(Calculation what) override;
  void switch_off(std::uint32_t metric) override;

  // The place where formulas are evaluated.
  struct Place {
    std::span<const std::uint32_t> call_paths;
    bool inclusive = false;
    std::uint32_t metric = 0;  // the metric whose formula is evaluated
    std::uint64_t number = 0;  // unique among all places
  };
  // While a Visit exists, formulas are evaluated at its place.
  class Visit;
  // The value at the current place.
  [[nodiscard]] Value value(std::uint32_t metric, bool inclusive);

 private:
  friend class DerivedMetrics;

  struct Rows {  // values per group of a metric with values at locations
    std::unique_ptr<MetricValues> exclusive, inclusive;
  };
  const MetricValues& rows(std::uint32_t metric, bool inclusive);
  [[nodiscard]] MetricValues grouped(Fold& fold, const MetricValues& values, double nothing);
  Value folded(Fold& fold, Value a, Value b);
  std::vector<double> as_row(Value value) const;
  std::vector<double> visit(std::uint32_t metric, std::span<const std::uint32_t> call_paths,
                            bool inclusive);
  // Records that a formula failed at the current place.
  void fail(std::uint32_t metric, const Stop& stop);

  DerivedMetrics& metrics_;
  std::vector<std::uint32_t> group_of_;
  std::size_t groups_;
  PlaceKind kind_;
  bool by_location_ = false;  // group i is location i
  std::vector<Rows> rows_;
  std::vector<std::pair<KnownValue, KnownValue>> known_;  // by metric: exclusive, inclusive
  Place place_;
  std::uint64_t places_ = 0;
  bool failed_ = false;  // the last visit failed
};

}  // namespace latecomer::report::formula
