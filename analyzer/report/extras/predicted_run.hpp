// SPDX-License-Identifier: BSD-3-Clause
// Predictions of changed runs: what a replay of the recorded dependencies says.
#pragma once

#include <cstdint>
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
  // Waits of one wait state, or of one rank.
  struct Waits {
    std::string metric;      // of a wait state
    std::uint32_t rank = 0;  // otherwise
    double before = 0, after = 0;
  };
  std::vector<Waits> by_state, by_rank;
  std::int64_t contradictions = 0;  // needs that were dropped, since the recorded times contradict
  std::vector<std::string> notes;   // what the prediction rests on, a sentence each
};

void write(JsonWriter& out, const Prediction& prediction);

}  // namespace latecomer::report
