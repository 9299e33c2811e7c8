// SPDX-License-Identifier: BSD-3-Clause
// Selects values of metrics by call path, rank, node, metahost, or by their parts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/report/cube/read_cube.hpp"
#include "archive/result.hpp"

namespace latecomer::view {

// The items for which there is a row each.
enum class By : std::uint8_t { kCallPath, kRank, kNode, kMetahost, kMetric };
// The value for a word such as "rank"; nothing if there is no such word.
[[nodiscard]] std::optional<By> by_of_name(const std::string& name);
[[nodiscard]] const char* name(By by);

// The selection that the user made.
struct Choice {
  std::vector<std::string> metrics;  // names as find_metric() takes them; none: time
  By by = By::kCallPath;
  std::string call_path;           // a pattern; empty: all
  std::optional<std::size_t> top;  // show only so many rows, largest first
};

// The selected values, for text or JSON.
struct MetricRows {
  struct Column {
    std::string metric, display, unit;
    double total = 0;     // value of the report
    double selected = 0;  // value of the chosen call paths
    bool adds_up = true;  // false: a share of the total means nothing
  };
  struct Row {
    std::vector<std::string> names;  // call path or metric from the root; otherwise one name
    std::size_t depth = 0;           // in the tree; 0 in tables
    // In trees, with everything below; NaN: there is no value.
    std::vector<double> values;
    std::vector<double> own;      // values without the rows below; equal to `values` in tables
    double whole = 0;             // the amount that is 100 % of the first value
    std::uint64_t ranks = 0;      // number of ranks of a node or metahost
    std::string place;            // node of a rank; also its metahost if there are several
    std::string metric, unit;     // By::kMetric
    std::uint32_t call_path = 0;  // By::kCallPath
  };
  std::string file, call_path;
  By by = By::kCallPath;
  bool is_tree = false;
  std::vector<Column> columns;  // By::kMetric: none, because each row is a metric with one value
  std::vector<Row> rows;        // rows that have a value
  std::size_t left_out = 0;     // rows that `top` removed
  // Metrics whose formulas cannot be evaluated, in some places or anywhere, and the reasons.
  std::vector<std::string> notes;
};

// Selects the rows. A usage Problem if a name or pattern is unknown.
[[nodiscard]] Result<MetricRows> metric_rows(report::Report& report, const Choice& choice);

}  // namespace latecomer::view
