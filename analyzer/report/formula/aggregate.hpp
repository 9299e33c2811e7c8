// SPDX-License-Identifier: BSD-3-Clause
// What a metric has in sum at places: groups of locations. Of a ratio that is the ratio of the
// sums.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/report/formula/derived.hpp"

namespace latecomer::report::formula {

// What CUBE calls a place of the system tree.
enum class PlaceKind : std::uint8_t { kNode = 5, kProcess = 6, kLocation = 7 };

// A value that was computed already, at the place of that number.
struct KnownValue {
  std::uint64_t place = 0;
  Value value;
};

class Aggregate : public Operands {
 public:
  // Location i is in group group_of[i]; kNone: in none.
  Aggregate(DerivedMetrics& metrics, std::vector<std::uint32_t> group_of, std::size_t groups,
            PlaceKind kind);

  // One value per group, at a call path, with all it calls or without. Not a number: no value.
  [[nodiscard]] std::vector<double> at(std::uint32_t metric, std::uint32_t call_path,
                                       bool inclusive);
  // The same at several call paths together. With all they call none may be above another.
  [[nodiscard]] std::vector<double> over(std::uint32_t metric,
                                         std::span<const std::uint32_t> call_paths,
                                         bool inclusive = true);

  // As an operand of formulas. These throw Stop.
  [[nodiscard]] std::size_t columns() const override { return groups_; }
  [[nodiscard]] Value metric(std::uint32_t metric, Flavour flavour) override;
  [[nodiscard]] double fixed(std::uint32_t metric) override;
  [[nodiscard]] double call(std::uint32_t metric, double call_path, Flavour flavour,
                            std::optional<double> location) override;
  [[nodiscard]] Value calculation(Calculation what) override;
  void switch_off(std::uint32_t metric) override;

  // Where formulas are evaluated.
  struct Place {
    std::span<const std::uint32_t> call_paths;
    bool inclusive = false;
    std::uint32_t metric = 0;  // whose formula it is
    std::uint64_t number = 0;  // differs from that of other places
  };
  // For the time that it exists formulas are evaluated there.
  class Visit;
  // At the present place.
  [[nodiscard]] Value value(std::uint32_t metric, bool inclusive);

 private:
  friend class DerivedMetrics;

  struct Rows {  // of a metric with values at locations, per group
    std::unique_ptr<MetricValues> exclusive, inclusive;
  };
  const MetricValues& rows(std::uint32_t metric, bool inclusive);
  [[nodiscard]] MetricValues grouped(Fold& fold, const MetricValues& values, double nothing);
  Value folded(Fold& fold, Value a, Value b);
  std::vector<double> as_row(Value value) const;
  std::vector<double> visit(std::uint32_t metric, std::span<const std::uint32_t> call_paths,
                            bool inclusive);
  // A formula failed at the present place.
  void fail(std::uint32_t metric, const Stop& stop);

  DerivedMetrics& metrics_;
  std::vector<std::uint32_t> group_of_;
  std::size_t groups_;
  PlaceKind kind_;
  bool by_location_ = false;  // each is a group of its own, in their order
  std::vector<Rows> rows_;
  std::vector<std::pair<KnownValue, KnownValue>> known_;  // exclusive, inclusive
  Place place_;
  std::uint64_t places_ = 0;
  bool failed_ = false;  // the last visit
};

}  // namespace latecomer::report::formula
