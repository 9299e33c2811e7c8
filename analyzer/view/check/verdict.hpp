// SPDX-License-Identifier: BSD-3-Clause
// Judges conditions: what holds, what fails, and what is only noise.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/view/check/baseline.hpp"
#include "analyzer/view/check/condition.hpp"

namespace latecomer::view {

struct Verdict {
  enum class State : std::uint8_t { kOk, kNoise, kFailed };
  State state = State::kOk;  // kNoise: beyond the bound, but within the noise of the baseline
  std::string condition;     // as typed, with what it is: "not mpi_latesender>+5%"
  std::string metric, display, unit;
  double value = 0;
  std::optional<double> before;  // mean of the baseline
  double noise = 0;
  std::optional<double> percent;  // of the time, where the condition is about that
};

struct Judgement {
  std::string source, program, baseline;  // what was compared with what
  std::string other_program;              // of the baseline, if it is not that of the run
  std::uint64_t ranks = 0, runs = 0;
  std::vector<Verdict> verdicts;
  bool partial = false;  // the result is partial: that fails, too
  [[nodiscard]] std::size_t failed() const;
};

// `fail` conditions must not hold, `budgets` must. Problems: unknown metrics (the nearest is
// named), units that do not fit, differences without a baseline, other numbers of ranks.
[[nodiscard]] Result<Judgement> judge(const RunValues& run, const std::optional<Baseline>& baseline,
                                      const std::vector<Condition>& fail,
                                      const std::vector<Condition>& budgets);

// A table for people and for comments on merge requests.
[[nodiscard]] std::string markdown(const Judgement& judgement);
// What CI servers read.
[[nodiscard]] std::string junit(const Judgement& judgement);

}  // namespace latecomer::view
