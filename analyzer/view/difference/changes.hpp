// SPDX-License-Identifier: BSD-3-Clause
// Finds the differences between two reports, largest first.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/report/algebra/match.hpp"
#include "analyzer/view/difference/computation_changes.hpp"
#include "analyzer/view/difference/ratio_changes.hpp"
#include "analyzer/view/summary/summary.hpp"
#include "archive/result.hpp"

namespace latecomer::view {

// The differences between two reports. Values of B (after) minus those of A (before).
struct Changes {
  struct RankChange {
    std::uint32_t rank = 0;
    double change = 0;
  };
  struct Change {
    std::string metric, display, unit;
    std::vector<std::string> call_path;
    BeforeAfter value;  // metric without its parts, in this call path without callees
    // Change of the waiting that this call path caused; only for times other than waits.
    double caused = 0;
    std::vector<RankChange> ranks;  // largest first; none if the processes differ
  };
  struct Total {
    std::string metric, display, unit, parent;
    BeforeAfter value;
  };
  // A call path that made others wait: for how long, and why.
  struct CauseChange {
    std::vector<std::string> call_path;
    BeforeAfter seconds;
    std::string how_before, how_after;  // as in the summary; empty: not known, or no large cause
  };
  Summary before, after;
  bool own_values = true;     // values of metrics are without their parts
  std::vector<Total> totals;  // every metric with its parts, in document order
  // All changes, largest first. Changes that caused waiting come before that waiting; MPI_Init and
  // MPI_Finalize come last.
  std::vector<Change> changes;
  std::vector<CauseChange> causes;  // largest change first; only the largest causes of each run
  std::optional<ComputationChanges> computation;  // nothing: not both runs were sampled
  std::vector<RatioChange> ratios;                // metrics that cannot be summed, as evaluated
  std::vector<std::string> notes;
};

// `metrics` are names as find_metric() takes them. If there are none: the parts of time, or all
// metrics if the reports have no metric time.
[[nodiscard]] Result<Changes> find_changes(report::Report& before, report::Report& after,
                                           const report::Matching& matching,
                                           const std::vector<std::string>& metrics);

}  // namespace latecomer::view
