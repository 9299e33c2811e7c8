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
  // kUndecided: runs differ by chance by more than the bound, and this one is not beyond that; or
  // nobody knows by how much they differ, and this one is within the bound
  enum class State : std::uint8_t { kOk, kUndecided, kFailed };
  State state = State::kOk;
  std::string condition;  // as typed, with what it is: "not mpi_latesender>+5%"
  std::string metric, display, unit;
  double value = 0;
  bool is_change = false;        // the condition is about the change from the baseline
  std::optional<double> before;  // mean of the baseline
  double noise = 0;
  // kUndecided: the condition with the smallest bound beyond the noise; empty: noise is not known
  std::string decidable;
  std::optional<double> percent;  // of the time, where the condition is about that
};

struct Judgement {
  std::string source, program, baseline;  // what was compared with what
  std::string other_program;              // of the baseline, if it is not that of the run
  std::uint64_t ranks = 0, runs = 0;
  std::vector<Verdict> verdicts;
  std::vector<std::string> notes;  // on the quality of the run's data
  bool partial = false;            // the result is partial: that fails, too
  bool strict = false;             // what is undecided fails, too
  [[nodiscard]] std::size_t failed() const;
  [[nodiscard]] std::size_t undecided() const;
  [[nodiscard]] bool failed_against_baseline() const;
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
// The same if nothing could be judged: one test case with an error.
[[nodiscard]] std::string junit(const Problem& problem, const std::string& source);

}  // namespace latecomer::view
