// SPDX-License-Identifier: BSD-3-Clause
// Predicts the run time and the waits of a changed run.
#pragma once

#include <span>

#include "analyzer/attribution/ideal_network.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/parallel/work_progress.hpp"
#include "analyzer/predict/rates.hpp"
#include "analyzer/report/extras/message_sizes.hpp"
#include "analyzer/report/extras/predicted_run.hpp"
#include "archive/result.hpp"
#include "sync/constraints.hpp"

namespace latecomer::predict {

// The recorded run, with the transfer times of its messages.
struct Run {
  const replay::Recorded& recorded;
  const sync::Topology& topology;
  const report::Messages& messages;
  const replay::Progress& progress;
};

// Replays the recorded dependencies with the durations of a changed run. Nothing else changes: each
// message goes where it went, and each operation has the members that it had. The steps of all
// locations come to one process. It first replays the recorded run, which must last as long as
// recorded, then the changed run. Both are done twice: with the least transfer times of messages,
// which is the prediction, and with the mean ones. The same on every process. Collective.
[[nodiscard]] Result<report::Prediction> predict(const Run& run, std::span<const Change> changes,
                                                 const ChoosePaths& choose,
                                                 parallel::Processes& processes);

}  // namespace latecomer::predict
