// SPDX-License-Identifier: BSD-3-Clause
// Reads CUBE 4 reports: ours and those of other tools.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/report/anchor_reader.hpp"
#include "analyzer/report/metric_values.hpp"
#include "analyzer/report/model.hpp"
#include "archive/result.hpp"

namespace latecomer::report {

// An open report. Definitions are read at once, values metric by metric when they are asked for.
// MT: one thread.
class Report {
 public:
  [[nodiscard]] static Result<Report> open(const std::filesystem::path& file);

  // Call paths in document order, location i = column i. Metrics have no explanation: the file does
  // not hold it.
  [[nodiscard]] const Definitions& definitions() const { return anchor_.definitions; }
  [[nodiscard]] const StoredMetric& stored(std::uint32_t metric) const {
    return anchor_.metrics[metric];
  }
  // Ids of the call paths in the file: those that member latecomer.json speaks of.
  [[nodiscard]] const std::vector<std::uint64_t>& call_path_ids() const {
    return anchor_.call_path_ids;
  }
  [[nodiscard]] const std::string& creator() const { return anchor_.creator; }
  [[nodiscard]] const std::string& file() const { return tar_.file(); }

  // Index of the metric with this unique name; kNone if there is none.
  [[nodiscard]] std::uint32_t find(const std::string& metric) const;
  // Values of a metric; kept, so the pointer is good as long as the report. The metric kNone has
  // values that are all zero.
  [[nodiscard]] Result<const MetricValues*> values(std::uint32_t metric);

 private:
  Report(TarReader tar, Anchor anchor) : tar_(std::move(tar)), anchor_(std::move(anchor)) {}

  TarReader tar_;
  Anchor anchor_;
  std::vector<std::unique_ptr<MetricValues>> values_;  // null: not read yet; the last: kNone's
};

}  // namespace latecomer::report
