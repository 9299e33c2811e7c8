// SPDX-License-Identifier: BSD-3-Clause
// Values of chosen metrics, by call path, rank, node, metahost, or by their parts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/report/read_cube.hpp"
#include "archive/result.hpp"

namespace latecomer::view {

enum class By : std::uint8_t { kCallPath, kRank, kNode, kMetahost, kMetric };
// "rank"; nothing if there is no such word.
[[nodiscard]] std::optional<By> by_of_name(const std::string& name);
[[nodiscard]] const char* name(By by);

struct Choice {
  std::vector<std::string> metrics;  // as find_metric() takes them; none: time
  By by = By::kCallPath;
  std::string call_path;           // a pattern; empty: all
  std::optional<std::size_t> top;  // the largest only, largest first
};

struct MetricRows {
  struct Column {
    std::string metric, display, unit;
    double total = 0;     // of the report
    double selected = 0;  // of the chosen call paths
    bool adds_up = true;  // else a share of the total says nothing
  };
  struct Row {
    std::vector<std::string> names;  // of the call path or the metric from the root; else one name
    std::size_t depth = 0;           // in the tree; 0 in tables
    // With everything below, in trees; not a number: there is no value.
    std::vector<double> values;
    std::vector<double> own;      // without it; equal to the values in tables
    double whole = 0;             // what is 100 % of the first value
    std::uint64_t ranks = 0;      // of a node or metahost
    std::string place;            // of a rank: its node, with several also its metahost
    std::string metric, unit;     // By::kMetric
    std::uint32_t call_path = 0;  // By::kCallPath
  };
  std::string file, call_path;
  By by = By::kCallPath;
  bool is_tree = false;
  std::vector<Column> columns;  // By::kMetric: none, each row is a metric with one value
  std::vector<Row> rows;        // those that have a value
  std::size_t left_out = 0;     // rows that `top` cut
  // Metrics whose formulas cannot be evaluated, or not everywhere, and why.
  std::vector<std::string> notes;
};

[[nodiscard]] Result<MetricRows> metric_rows(report::Report& report, const Choice& choice);

}  // namespace latecomer::view
