// SPDX-License-Identifier: BSD-3-Clause
// Predicts the run time and the waits of a changed run.
#pragma once

#include <span>
#include <vector>

#include "analyzer/clocks/moved_times.hpp"
#include "analyzer/match/partition.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/predict/rates.hpp"
#include "analyzer/predict/whole_replay.hpp"
#include "analyzer/report/extras/predicted_run.hpp"
#include "archive/result.hpp"

namespace latecomer::predict {

// A predicted run, and by hosted location the times that its events have there.
struct Predicted {
  report::Prediction prediction;
  std::vector<replay::MovedTimes> times;
};

// Replays the recorded dependencies with the durations of a changed run. Nothing else changes: each
// message goes where it went, and each operation has the members that it had. It is done twice:
// with the least transfer times of messages, which is the prediction, and with the mean ones.
// `shares` must not be booked yet. The prediction is the same on every process. Collective.
[[nodiscard]] Result<Predicted> predict(const Run& run, const replay::ComputationShares& shares,
                                        std::span<const Change> changes, const ChoosePaths& choose,
                                        const replay::Partition& partition,
                                        parallel::Processes& processes);

}  // namespace latecomer::predict
