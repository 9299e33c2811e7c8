// SPDX-License-Identifier: BSD-3-Clause
// Compares where two sampled runs computed, by function and line, with the error of the samples.
#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analyzer/report/extras/computation.hpp"
#include "analyzer/view/difference/before_after.hpp"

namespace latecomer::view {

// Time that samples show, in two runs.
struct SampledChange {
  BeforeAfter seconds;
  std::uint64_t samples_before = 0, samples_after = 0;
  double error = 0;  // standard error of the change, in seconds
  // Seconds it may have had in a run whose list lacks it, because the list is cut off; else 0.
  double unlisted = 0;

  // False if the numbers of samples may differ by chance.
  [[nodiscard]] bool is_clear() const {
    return std::abs(seconds.change()) > 2 * error + unlisted && error > 0;
  }
};

struct LineChange {
  std::string file;
  std::uint32_t line = 0;
  SampledChange self;
};

// Functions are the same if name and file name agree. The path of the file may differ: versions of
// a program are often built in different directories.
struct FunctionChange {
  std::string name, file;         // path of the file in the first run that has it; may be empty
  SampledChange self, inclusive;  // by itself, and with what it calls
  std::vector<LineChange> lines;  // without calls; the largest change first
};

struct ComputationChanges {
  // A part of the computing time in which the program itself did not run.
  struct Part {
    const char *name, *display;
    BeforeAfter seconds;
  };
  BeforeAfter seconds;
  std::vector<Part> not_computing;        // in the order of NoComputation
  std::vector<FunctionChange> functions;  // the largest change of self first
};

[[nodiscard]] ComputationChanges computation_changes(const report::Computation& before,
                                                     const report::Computation& after);

// Table of the functions that clearly changed by `least` seconds or more, at most `top`. A sentence
// if there is none.
[[nodiscard]] std::string functions_text(const ComputationChanges& changes, double least,
                                         std::size_t top);
[[nodiscard]] nlohmann::ordered_json computation_changes_json(const ComputationChanges& changes);

}  // namespace latecomer::view
