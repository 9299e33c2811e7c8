// SPDX-License-Identifier: BSD-3-Clause
// What a metric is: its key, its place in the tree, its unit and its text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace latecomer::patterns {

enum class Unit : std::uint8_t { kSeconds, kOccurrences, kBytes };

// One metric. Values are integers everywhere inside the analyzer (ticks, counts or bytes);
// a value contains the values of the metric's children.
struct Metric {
  std::string name;     // unique name, e.g. mpi_latesender; never changes
  std::string display;  // e.g. Late Sender
  std::string parent;   // unique name of the parent; empty for a root
  Unit unit = Unit::kSeconds;
  std::string description;  // one sentence: what the value is (tool tip in the viewer)
  std::string explanation;  // what it means, typical causes, what to try (`latecomer explain`)
};

using MetricId = std::uint32_t;

// The metrics of a report in document order: a parent stands before its children.
class MetricTree {
 public:
  explicit MetricTree(std::vector<Metric> metrics);
  [[nodiscard]] const std::vector<Metric>& metrics() const { return metrics_; }
  [[nodiscard]] std::size_t size() const { return metrics_.size(); }
  [[nodiscard]] const Metric& operator[](MetricId id) const { return metrics_[id]; }
  [[nodiscard]] MetricId id(const std::string& name) const;                  // kNone if unknown
  [[nodiscard]] MetricId parent(MetricId id) const { return parents_[id]; }  // kNone for a root
  static constexpr MetricId kNone = 0xffffffff;

 private:
  std::vector<Metric> metrics_;
  std::vector<MetricId> parents_;
};

}  // namespace latecomer::patterns
