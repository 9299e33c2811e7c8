// SPDX-License-Identifier: BSD-3-Clause
// Defines a metric: its key, its place in the tree, its unit and its texts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace latecomer::patterns {

enum class Unit : std::uint8_t { kSeconds, kOccurrences, kBytes };

// One metric. Values are integers everywhere inside the analyzer (ticks, counts or bytes). A value
// contains the values of the metric's children.
struct Metric {
  std::string name;     // unique, e.g. mpi_latesender; never changes
  std::string display;  // e.g. Late Sender
  std::string parent;   // unique name of the parent; empty for a root
  Unit unit = Unit::kSeconds;
  std::string description;  // one sentence on the value (tool tip in the viewer)
  // Meaning, typical causes, advice (`latecomer explain`). Paragraphs end with a line feed, lines
  // are not wrapped.
  std::string explanation;
  std::string formula;  // formula of a wait state in words of the trace, one line; may be empty
  std::string advice;   // what to try first against a wait state, one sentence; may be empty
};

using MetricId = std::uint32_t;

// The metrics of a report in document order: parents precede their children.
class MetricTree {
 public:
  static constexpr MetricId kNone = 0xffffffff;

  explicit MetricTree(std::vector<Metric> metrics);
  [[nodiscard]] const std::vector<Metric>& metrics() const { return metrics_; }
  [[nodiscard]] std::size_t size() const { return metrics_.size(); }
  [[nodiscard]] const Metric& operator[](MetricId id) const { return metrics_[id]; }
  [[nodiscard]] MetricId id(std::string_view name) const;                    // kNone if unknown
  [[nodiscard]] MetricId parent(MetricId id) const { return parents_[id]; }  // kNone for a root
  // The metric itself, its parent, and so on up to its root: a value counts for all of these.
  [[nodiscard]] std::vector<MetricId> path(MetricId id) const;

 private:
  std::vector<Metric> metrics_;
  std::vector<MetricId> parents_;
  std::map<std::string, MetricId, std::less<>> ids_;
};

// Puts metrics into document order: depth first, siblings and roots in the given order. Leaves out
// metrics whose parent is missing.
[[nodiscard]] std::vector<Metric> depth_first(std::vector<Metric> metrics);

}  // namespace latecomer::patterns
