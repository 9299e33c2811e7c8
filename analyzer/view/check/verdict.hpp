// SPDX-License-Identifier: BSD-3-Clause
// Judges conditions: which ones hold, which ones fail, and which ones are within the noise.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/view/check/baseline.hpp"
#include "analyzer/view/check/condition.hpp"

namespace latecomer::view {

// The result of one condition.
struct Verdict {
  // kUndecided: the differences that runs have by chance exceed the bound, and this run is within
  // them. Or they are unknown, and this run is within the bound.
  // kNotKnown: the value may be larger, since records were lost. It counts as a failure.
  enum class State : std::uint8_t { kOk, kUndecided, kFailed, kNotKnown };
  State state = State::kOk;
  std::string condition;  // text as typed, after "must be: " or "must not be: "
  std::string metric, display, unit;
  double value = 0;
  bool is_change = false;        // the condition is about the change from the baseline
  std::optional<double> before;  // mean of the baseline
  double noise = 0;
  // kUndecided: the condition with the smallest bound beyond the noise; empty if the noise is
  // unknown.
  std::string decidable;
  std::optional<double> percent;  // share of the time, if the condition is about that
  bool at_least = false;          // the value may be larger
};

// The results of all conditions for one run.
struct Judgement {
  std::string source, program, baseline;  // the run and the baseline
  std::string other_program;              // program of the baseline, if it is not that of the run
  std::uint64_t ranks = 0, runs = 0;
  std::vector<Verdict> verdicts;
  std::vector<std::string> notes;  // notes on the quality of the run's data
  bool partial = false;            // the result is partial, which counts as a failure
  bool strict = false;             // undecided conditions count as failures
  // Number of failures; with `strict` including what is undecided, and a partial result is one.
  [[nodiscard]] std::size_t failed() const;
  [[nodiscard]] std::size_t undecided() const;
  // True if a condition about a change is among the failures.
  [[nodiscard]] bool failed_against_baseline() const;
};

// `fail` conditions must not hold, `budgets` must hold. A Problem for an unknown metric (the
// nearest is named), a wrong unit, a difference without a baseline, or another number of ranks.
[[nodiscard]] Result<Judgement> judge(const RunValues& run, const std::optional<Baseline>& baseline,
                                      const std::vector<Condition>& fail,
                                      const std::vector<Condition>& budgets);

// A table for people and for comments on merge requests.
[[nodiscard]] std::string markdown(const Judgement& judgement);
// JUnit XML, which CI servers read.
[[nodiscard]] std::string junit(const Judgement& judgement);
// JUnit XML if nothing could be judged: one test case with an error.
[[nodiscard]] std::string junit(const Problem& problem, const std::string& source);

}  // namespace latecomer::view
