// SPDX-License-Identifier: BSD-3-Clause
// Puts the times of all processes on one time line on which no message arrives before it was sent.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/clocks/shared_clocks.hpp"
#include "analyzer/match/corrected_times.hpp"
#include "analyzer/match/messages.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/location_events.hpp"
#include "sync/measurement.hpp"
#include "sync/violations.hpp"

namespace latecomer::replay {

// The last step that the correction may take. A step is taken only if the one before left
// violations.
enum class TimeCorrection {
  kNone,      // times as the clocks showed them
  kLinear,    // the offsets that were measured
  kMessages,  // additionally the drift that messages show
  kClc,       // additionally the controlled logical clock
};

// Options of the correction.
struct CorrectionOptions {
  TimeCorrection most = TimeCorrection::kClc;
  // Uses the offsets measured by this scheme instead of those that the archive applies.
  std::optional<sync::Scheme> scheme;
  // Minimum latency inside and between metahosts in seconds. Missing values are taken from the
  // archive, otherwise from the messages.
  std::optional<double> latency_inside, latency_between;
};

// The violations that a step of the correction left.
struct CorrectionStep {
  std::string name;  // none, linear, messages, clc
  sync::Violations violations;
};

// The correction that was made.
struct Correction {
  std::unique_ptr<CorrectedTimes> times;  // null: no event was moved
  std::vector<CorrectionStep> steps;      // empty: no event is too early
  // About the last step, if it was needed:
  bool moved = false;              // any event was moved
  std::int64_t events_moved = 0;   // operations and calls that got other times
  sync::Ticks largest_shift = 0;   // largest shift of an event
  sync::Ticks largest_jump = 0;    // largest shift of a receive that was too early
  std::int64_t jumps = 0;          // receives that were too early
  sync::Decay decay = 0;           // 1 / (1 - gamma); 0: no logical clock
  bool avalanche = false;          // shifts grew beyond the largest jump even with the last gamma
  bool contradiction = false;      // some constraints cannot be fulfilled by any times
  sync::Ticks largest_growth = 0;  // largest growth of the time between successive enters or leaves
  double interval_distortion = 0;  // largest growth relative to that time
};

// Corrects the times in `mine` and those of the senders in `messages`. The instances of collective
// operations must have been counted. Collective; the result is the same on every process.
[[nodiscard]] Correction correct_times(const trace::Definitions& definitions,
                                       const Partition& partition, const sync::Topology& topology,
                                       const SharedClocks& clocks, TimeCorrection most,
                                       std::vector<trace::LocationEvents>& mine,
                                       MatchedMessages& messages, parallel::Processes& processes);

}  // namespace latecomer::replay
