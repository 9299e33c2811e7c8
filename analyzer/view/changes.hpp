// SPDX-License-Identifier: BSD-3-Clause
// What differs between two reports, largest first.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/report/algebra/match.hpp"
#include "analyzer/view/ratio_changes.hpp"
#include "analyzer/view/summary.hpp"
#include "archive/result.hpp"

namespace latecomer::view {

struct Changes {
  struct RankChange {
    std::uint32_t rank = 0;
    double change = 0;
  };
  struct Change {
    std::string metric, display, unit;
    std::vector<std::string> call_path;
    BeforeAfter value;  // of this metric without its parts, in this call path by itself
    double caused = 0;  // change of the waiting that this call path caused; of times but waits
    std::vector<RankChange> ranks;  // largest first; none if processes differ
  };
  struct Total {
    std::string metric, display, unit, parent;
    BeforeAfter value;
  };
  Summary before, after;
  bool own_values = true;           // of metrics: without their parts
  std::vector<Total> totals;        // of every metric, with its parts, in document order
  std::vector<Change> changes;      // all, largest first: what caused waiting comes before it,
                                    // MPI_Init and MPI_Finalize come last
  std::vector<RatioChange> ratios;  // what cannot be summed up, as it was evaluated
  std::vector<std::string> notes;
};

// `metrics`: names as find_metric() takes them; none: the parts of time (of everything, where there
// is no metric time).
[[nodiscard]] Result<Changes> find_changes(report::Report& before, report::Report& after,
                                           const report::Matching& matching,
                                           const std::vector<std::string>& metrics);

}  // namespace latecomer::view
