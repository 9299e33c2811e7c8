// SPDX-License-Identifier: BSD-3-Clause
// Reads CUBE 4 reports of Latecomer and of other tools.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/report/extras/extras.hpp"
#include "analyzer/report/formula/aggregate.hpp"
#include "analyzer/report/model/anchor_reader.hpp"
#include "analyzer/report/model/metric_values.hpp"
#include "analyzer/report/model/model.hpp"
#include "archive/result.hpp"

namespace latecomer::report {

// An open report. Definitions are read at once, the values of a metric when they are needed. MT:
// one thread.
class Report {
 public:
  // Opens a report. A Problem if it cannot be read, is not CUBE 4, or is damaged.
  [[nodiscard]] static Result<Report> open(const std::filesystem::path& file);

  // Call paths are in document order; location i is column i. Metrics have no explanation because
  // the file does not contain it.
  [[nodiscard]] const Definitions& definitions() const { return contents_->anchor.definitions; }
  [[nodiscard]] const StoredMetric& stored(std::uint32_t metric) const {
    return contents_->anchor.metrics[metric];
  }
  // Ids of the call paths in the file. The member latecomer.json refers to these.
  [[nodiscard]] const std::vector<std::uint64_t>& call_path_ids() const {
    return contents_->anchor.call_path_ids;
  }
  // Statements of the file about its run; missing_values() are among the notes.
  [[nodiscard]] const Extras& extras() const { return contents_->extras; }
  // The same statements as JSON, for those who pass on all that is there. Null: there are none.
  [[nodiscard]] const nlohmann::json& document() const;
  // Notes on values that the file lacks; see missing_values.hpp.
  [[nodiscard]] const std::vector<QualityNote>& missing_values() const {
    return contents_->missing;
  }
  // True if the file should have some of these values.
  [[nodiscard]] bool lost_values() const;
  [[nodiscard]] const std::string& creator() const { return contents_->anchor.creator; }
  [[nodiscard]] const std::string& file() const { return contents_->tar.file(); }

  // Index of the metric with this unique name; kNone: there is none.
  [[nodiscard]] std::uint32_t find(const std::string& metric) const;

  // True if the values of a metric can be summed. Formulas such as ratios and maxima cannot;
  // aggregate() evaluates them at the place of interest.
  [[nodiscard]] bool adds_up(std::uint32_t metric) const {
    return contents_->derived.adds_up(metric);
  }
  // The reason why a metric has no values: its formula fails, or each value is more than one
  // number. Empty: it has values.
  [[nodiscard]] const std::string& why_no_values(std::uint32_t metric) const;
  // A sentence on a formula that works, except at some place that has been queried so far; empty if
  // there is no such place.
  [[nodiscard]] std::string formula_gap(std::uint32_t metric) const;

  [[nodiscard]] const formula::DerivedMetrics& formulas() const { return contents_->derived; }

  // Values of a metric that adds up. They are kept: the pointer is valid as long as the report. All
  // values of other metrics, and of kNone, are zero.
  [[nodiscard]] Result<const MetricValues*> values(std::uint32_t metric);
  // Values of any metric at groups of locations, see formula::Aggregate. Valid as long as the
  // report.
  [[nodiscard]] formula::Aggregate aggregate(std::vector<std::uint32_t> group_of_location,
                                             std::size_t groups, formula::PlaceKind kind);
  // The outermost call paths.
  [[nodiscard]] const std::vector<std::uint32_t>& roots() const { return contents_->roots; }
  // Value of a metric for the whole report: one group of all locations, all call paths.
  [[nodiscard]] double total(std::uint32_t metric) const;

 private:
  // On the heap, because formulas refer to it and a Report may be moved.
  struct Contents {
    Contents(TarReader tar_reader, Anchor definitions);
    Result<const MetricValues*> stored(std::uint32_t metric);

    TarReader tar;
    Anchor anchor;
    Extras extras;
    std::vector<QualityNote> missing;
    std::map<std::uint32_t, std::string> unread;  // metrics whose values are not numbers, and why
    // Values for each metric; null: not read yet. The last element is for kNone.
    std::vector<std::unique_ptr<MetricValues>> values;
    formula::DerivedMetrics derived;
    std::vector<bool> tried;  // by metric: its formula has been evaluated
    std::vector<std::uint32_t> roots;
    std::unique_ptr<formula::Aggregate> whole;
  };
  explicit Report(std::unique_ptr<Contents> contents) : contents_(std::move(contents)) {}

  std::unique_ptr<Contents> contents_;
};

}  // namespace latecomer::report
