// SPDX-License-Identifier: BSD-3-Clause
// The whole analysis of an archive: read, match, find the waits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/replay/correction.hpp"
#include "analyzer/replay/progress.hpp"
#include "analyzer/replay/timeline.hpp"
#include "analyzer/report/model.hpp"
#include "archive/result.hpp"

namespace latecomer::replay {

struct Options {
  bool scalasca_compatible = false;
  std::optional<std::uint64_t> eager_limit;  // of standard sends, in bytes; else what is seen
  CorrectionOptions correction;
  std::filesystem::path write_corrected;  // new archive with corrected times; empty: none
  TimelineOptions timeline;
  Progress progress;                                    // called on every process
  std::function<void(const std::string& phase)> ended;  // called after each phase
};

// One phase of the analysis as seen by this process.
struct Phase {
  std::string name;
  double seconds = 0;
};

struct Analysis {
  report::Definitions definitions;     // the same on every process
  report::Severities severities;       // of the own columns
  std::string statistics;              // text of the statistics file; the same on every process
  std::vector<std::uint32_t> columns;  // own locations, ascending
  bool partial = false;                // something was missing; the same on every process
  std::vector<Phase> phases;
  std::uint64_t own_events = 0, all_events = 0;
  // Of the archive that was asked for; the same on every process.
  Status corrected = success();
  Result<TimelineCounts> timeline = TimelineCounts{};  // that was asked for; the same
  std::int64_t not_copied = 0;                         // records of unknown types
  std::vector<std::string> notes;  // about events that no process could open; the same
  bool sees_first = true;          // this process sees the events of the lowest rank of all
};

// Collective. The result is the same for every number of processes. A Problem is the same on every
// process.
[[nodiscard]] Result<Analysis> analyze(const std::filesystem::path& experiment,
                                       const Options& options, parallel::Processes& processes);

}  // namespace latecomer::replay
