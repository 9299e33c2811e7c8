// SPDX-License-Identifier: BSD-3-Clause
// Runs of a program on different numbers of ranks side by side, and what the next size would take.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/report/cube/read_cube.hpp"
#include "analyzer/view/scaling/law.hpp"
#include "archive/result.hpp"

namespace latecomer::view {

// Values of one run. Times are in seconds.
struct ScalingRun {
  std::string file, program;
  std::uint64_t ranks = 0;
  double run_time = 0;
  double computation = 0;  // sum of all ranks
  // Nothing if the report does not state them.
  std::optional<double> efficiency, load_balance, communication, serialization, transfer;
  // Computation of the smallest run by that of this one. If each rank does the same in all runs,
  // it is per rank.
  std::optional<double> computation_scaling;
};

// The time of a call path itself, without what it calls, per rank.
struct ScalingPath {
  std::vector<std::string> names;  // from the root
  std::vector<double> seconds;     // by run; 0: the run does not have it
  std::optional<FittedLaw> law;
  double ideal = 0;      // at the next size, from the smallest run, if it scaled ideally
  double predicted = 0;  // at the next size by the law
  LawRange range;

  // The time beyond ideal scaling; negative: it takes less.
  [[nodiscard]] double loss() const { return predicted - ideal; }
};

// The whole comparison. `strong`: the runs do the same work in all, so ideal times fall as 1/p;
// otherwise each rank has the same work, and ideal times are constant.
struct Scaling {
  std::vector<ScalingRun> runs;  // by number of ranks
  bool strong = true;
  bool guessed = true;  // nobody said so
  std::uint64_t next = 0;
  std::optional<FittedLaw> run_time;
  double predicted = 0;  // run time at the next size: sum of the call paths by their laws
  LawRange range;
  // Those that lose most against ideal scaling at the next size first; without a law, at the
  // largest run.
  std::vector<ScalingPath> paths;
  std::vector<std::string> notes;
};

// Choices of the user.
struct ScalingOptions {
  std::optional<bool> strong;
  std::uint64_t next = 0;  // number of ranks; 0: twice the largest run
};

// Reads the values of reports and fits their laws. At least two runs of different sizes.
[[nodiscard]] Result<Scaling> compare_sizes(const std::vector<report::Report*>& reports,
                                            const ScalingOptions& options);

// Speed of a run of so many ranks and seconds, relative to the smallest run. If each rank
// has the same work in all runs, the work that was added counts as well: ideal is again the growth
// of the ranks.
[[nodiscard]] double speed_up(const Scaling& scaling, double ranks, double seconds);

// Text for a terminal, with the `top` call paths that lose most; and JSON, with all.
[[nodiscard]] std::string scaling_text(const Scaling& scaling, std::size_t top);
[[nodiscard]] nlohmann::ordered_json scaling_json(const Scaling& scaling);

}  // namespace latecomer::view
