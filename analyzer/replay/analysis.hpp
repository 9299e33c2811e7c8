// SPDX-License-Identifier: BSD-3-Clause
// The whole analysis of an archive: reads it, matches its operations and finds the waits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/clocks/correction.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/parallel/work_progress.hpp"
#include "analyzer/predict/compensation.hpp"
#include "analyzer/predict/rates.hpp"
#include "analyzer/report/extras/predicted_run.hpp"
#include "analyzer/report/model/model.hpp"
#include "analyzer/scenes/timeline.hpp"
#include "archive/result.hpp"

namespace latecomer::replay {

// Changes of the run whose effect is to be predicted. `choose` finds the call paths of a pattern.
struct WhatIf {
  std::vector<predict::Change> changes;
  std::function<Result<predict::ChosenPaths>(const report::Definitions& definitions,
                                             const std::string& pattern)>
      choose;
};

// Input of an analysis.
struct Options {
  bool scalasca_compatible = false;
  // Standard sends of up to so many bytes do not wait for receivers; none: estimated from the
  // trace.
  std::optional<std::uint64_t> eager_limit;
  CorrectionOptions correction;
  predict::OverheadOptions overhead;
  std::filesystem::path write_corrected;  // new archive with corrected times; empty: none
  TimelineOptions timeline;
  std::optional<WhatIf> what_if;                        // none: nothing is predicted
  Progress progress;                                    // called on every process
  std::function<void(const std::string& phase)> ended;  // called after each phase
};

// One phase of the analysis as seen by this process.
struct Phase {
  std::string name;
  double seconds = 0;
};

// Result of an analysis.
struct Analysis {
  report::Definitions definitions;     // the same on every process
  report::Severities severities;       // columns of this process only
  std::string statistics;              // text of the statistics file; the same on every process
  std::vector<std::uint32_t> columns;  // own locations, ascending
  bool partial = false;                // something was missing; the same on every process
  std::vector<Phase> phases;
  std::uint64_t own_events = 0, all_events = 0;
  // Results of optional outputs; the same on every process.
  Status corrected = success();
  Result<TimelineCounts> timeline = TimelineCounts{};  // the same on every process
  std::optional<report::Prediction> prediction;        // of Options::what_if
  std::int64_t not_copied = 0;                         // number of records of unknown types
  std::vector<std::string> notes;  // events that no process could open; the same on every process
  bool sees_first = true;          // this process sees the events of the lowest visible rank
};

// Analyzes an archive. Collective. The result does not depend on the number of processes. A Problem
// is the same on every process.
[[nodiscard]] Result<Analysis> analyze(const std::filesystem::path& experiment,
                                       const Options& options, parallel::Processes& processes);

}  // namespace latecomer::replay
