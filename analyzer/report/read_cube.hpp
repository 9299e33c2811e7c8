// SPDX-License-Identifier: BSD-3-Clause
// Reads CUBE 4 reports: ours and those of other tools.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/report/anchor_reader.hpp"
#include "analyzer/report/extras.hpp"
#include "analyzer/report/formula/aggregate.hpp"
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
  [[nodiscard]] const Definitions& definitions() const { return contents_->anchor.definitions; }
  [[nodiscard]] const StoredMetric& stored(std::uint32_t metric) const {
    return contents_->anchor.metrics[metric];
  }
  // Ids of the call paths in the file: those that member latecomer.json speaks of.
  [[nodiscard]] const std::vector<std::uint64_t>& call_path_ids() const {
    return contents_->anchor.call_path_ids;
  }
  // What the file says of its run; missing_values() are among its notes.
  [[nodiscard]] const Extras& extras() const { return contents_->extras; }
  // On values that the file lacks, see missing_values.hpp.
  [[nodiscard]] const std::vector<QualityNote>& missing_values() const {
    return contents_->missing;
  }
  // Whether there are values among these that the file should have.
  [[nodiscard]] bool lost_values() const;
  [[nodiscard]] const std::string& creator() const { return contents_->anchor.creator; }
  [[nodiscard]] const std::string& file() const { return contents_->tar.file(); }

  // Index of the metric with this unique name; kNone if there is none.
  [[nodiscard]] std::uint32_t find(const std::string& metric) const;

  // Whether values of a metric can be summed up: not those of formulas such as ratios and maxima,
  // which have to be evaluated where one looks (aggregate()).
  [[nodiscard]] bool adds_up(std::uint32_t metric) const {
    return contents_->derived.adds_up(metric);
  }
  // Why a metric has no values: its formula fails, or they are not one number each; empty: it has.
  [[nodiscard]] const std::string& why_no_values(std::uint32_t metric) const;
  // A sentence on a formula that could be evaluated, but not where somebody has looked since; empty
  // if there was no such place.
  [[nodiscard]] std::string formula_gap(std::uint32_t metric) const;

  [[nodiscard]] const formula::DerivedMetrics& formulas() const { return contents_->derived; }

  // Values of a metric that adds up; kept, so the pointer is good as long as the report. Others
  // have values that are all zero, likewise the metric kNone.
  [[nodiscard]] Result<const MetricValues*> values(std::uint32_t metric);
  // Values of any metric at groups of locations, see formula::Aggregate; good as long as the
  // report.
  [[nodiscard]] formula::Aggregate aggregate(std::vector<std::uint32_t> group_of_location,
                                             std::size_t groups, formula::PlaceKind kind);
  // The outermost call paths.
  [[nodiscard]] const std::vector<std::uint32_t>& roots() const { return contents_->roots; }
  // Of the whole report: one group, all call paths.
  [[nodiscard]] double total(std::uint32_t metric) const;

 private:
  // In one place, as formulas refer to it.
  struct Contents {
    Contents(TarReader tar_reader, Anchor definitions);
    Result<const MetricValues*> stored(std::uint32_t metric);

    TarReader tar;
    Anchor anchor;
    Extras extras;
    std::vector<QualityNote> missing;
    std::map<std::uint32_t, std::string> unread;        // metrics whose values are no numbers: why
    std::vector<std::unique_ptr<MetricValues>> values;  // null: not read yet; the last: kNone's
    formula::DerivedMetrics derived;
    std::vector<bool> tried;  // formulas
    std::vector<std::uint32_t> roots;
    std::unique_ptr<formula::Aggregate> whole;
  };
  explicit Report(std::unique_ptr<Contents> contents) : contents_(std::move(contents)) {}

  std::unique_ptr<Contents> contents_;
};

}  // namespace latecomer::report
