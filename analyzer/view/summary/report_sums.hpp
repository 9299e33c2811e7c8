// SPDX-License-Identifier: BSD-3-Clause
// Adds up the values of a report over call paths and locations, and divides them among ranks.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/report/cube/read_cube.hpp"
#include "analyzer/view/summary/summary.hpp"
#include "analyzer/view/text/spread.hpp"

namespace latecomer::view {

// Sums of one metric.
struct Totals {
  double all = 0;
  std::vector<double> call_paths, locations;
};

// The name that the program gave a thread, from that of its location: "Thread 2 (reader)". Empty if
// it gave none.
[[nodiscard]] std::string given_name(const std::string& location);

class ReportSums {
 public:
  explicit ReportSums(report::Report& report);

  // Only positive values count, except in a difference.
  [[nodiscard]] bool counts(double seconds) const {
    return is_difference_ ? seconds != 0 : seconds > 0;
  }
  // Values that cannot be read are 0, and problem() says why.
  [[nodiscard]] Totals totals(const std::string& metric);
  [[nodiscard]] const std::optional<Problem>& problem() const { return problem_; }
  void fail(const Problem& problem) { problem_ = problem; }

  // Shares of ranks and threads, largest first, from values by location. There are none if the
  // columns of the report are no ranks.
  [[nodiscard]] std::vector<Summary::RankShare> by_rank(std::span<const double> locations) const;
  [[nodiscard]] std::vector<Summary::ThreadShare> by_thread(
      std::span<const double> locations) const;
  // As RankPlaces::spread().
  [[nodiscard]] std::string spread(const std::vector<Summary::RankShare>& ranks) const {
    return places_.spread(ranks);
  }

 private:
  void place(const report::Process& process);

  report::Report& report_;
  const report::Definitions& d_;
  bool is_difference_, has_ranks_;
  RankPlaces places_;
  std::optional<Problem> problem_;
};

}  // namespace latecomer::view
