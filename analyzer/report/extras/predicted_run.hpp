// SPDX-License-Identifier: BSD-3-Clause
// Predictions of changed runs: what a replay of the recorded dependencies says.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/report/extras/json_writer.hpp"

namespace latecomer::report {

// A changed run, predicted. Times are in seconds.
struct Prediction {
  std::vector<std::string> changes;  // options, as the user wrote them
  double recorded = 0;               // the run from its first to its last event
  double predicted = 0;
  // The smallest and the largest prediction with other assumptions about the transfer of messages.
  double least = 0, most = 0;
  // Time of the computation that is changed, summed over locations; how many call paths and
  // locations it has.
  double changed_before = 0, changed_after = 0;
  std::uint64_t changed_call_paths = 0, changed_locations = 0;
  // Standard error of changed_before, if samples say how long some of it took.
  std::optional<double> sampling_error;
  // Work that --balance takes from ranks above the mean, if any. Others are taken to do it where
  // they waited, so the predicted waits still have this time.
  std::optional<double> moved_work;
  // Stands for a metric: the time until all processes were in MPI_Init.
  static constexpr const char* kUntilInit = "until_init";
  // Waits of one wait state, or of one rank.
  struct Waits {
    std::string metric;      // of a wait state
    std::uint32_t rank = 0;  // otherwise
    double before = 0, after = 0;
  };
  std::vector<Waits> by_state, by_rank;
  // Time of a call path: on the critical path, waiting, or of waits that it caused.
  struct Limit {
    std::uint32_t call_path = 0;
    std::vector<std::string> names;     // of its functions, from the root
    std::string metric;                 // of waits: the wait state
    std::optional<std::uint32_t> rank;  // of causes: the rank that caused most
    double before = 0, after = 0;
  };
  // The limits of the recorded and the predicted run. The largest ones of the predicted run come
  // first; the largest one of the recorded run is among them.
  struct Limits {
    double path_before = 0, path_after = 0;      // length of the critical path
    double caused_before = 0, caused_after = 0;  // all waiting with a known cause
    std::vector<Limit> path, waits, causes;
  };
  std::optional<Limits> limits;
  std::int64_t contradictions = 0;  // needs that were dropped, since the recorded times contradict
  std::vector<std::string> notes;   // what the prediction rests on, a sentence each
};

// Key "gains": run times if a cause of waiting were in balance, or took less time everywhere. They
// are predictions, in seconds.
struct Gains {
  struct Point {
    double part = 0;      // part of the time of the cause that remains, 0 to 1
    double run_time = 0;  // predicted for that part
  };
  struct Cause {
    std::uint32_t call_path = 0;
    double balanced = 0;
    double faster = 0;         // a tenth less time, as in the curve
    std::vector<Point> curve;  // the largest part first; the recorded run is not among them
  };
  // A way through the run that limits it: its time outside all causes, and in each of them as
  // recorded. If the part p_i of cause i remains, the run takes at least
  //
  //   fixed + sum over i of p_i * of_cause[i]
  struct Path {
    double fixed = 0;
    std::vector<double> of_cause;  // in the order of `causes`
  };
  double recorded = 0;        // run time, from the first to the last event
  std::vector<Cause> causes;  // the largest gain first
  // If several causes take less time, the run time is about that of the longest of these paths.
  // There may be longer ones, which no replay met. In runs that were replayed to check, the longest
  // of these was `error` too short at most.
  std::vector<Path> paths;
  double error = 0;
};

void write(JsonWriter& out, const Prediction& prediction);
void write(JsonWriter& out, const Gains& gains);
// Nothing if `json` is not an object.
[[nodiscard]] std::optional<Gains> gains_from_json(const nlohmann::json& json);

}  // namespace latecomer::report
