// SPDX-License-Identifier: BSD-3-Clause
// What it would bring to balance the largest causes of waiting, or to make them faster.
#pragma once

#include <optional>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/predict/whole_replay.hpp"
#include "analyzer/report/extras/predicted_run.hpp"

namespace latecomer::predict {

// Larger runs are not replayed unasked: the steps of all locations are on one process, and a replay
// per prediction would slow the analysis down.
inline constexpr std::int64_t kMostCalls = 200'000;

// Predictions for each of the call paths that caused most waiting: no location takes longer in it
// than the mean (balanced() in rates.hpp), and it takes less time everywhere, down to none. The
// largest gain comes first, by balance or a tenth less time. Delay costs must be booked. Nothing if
// the run is too large, or without causes. Collective.
[[nodiscard]] std::optional<report::Gains> find_gains(const Run& run,
                                                      parallel::Processes& processes);

}  // namespace latecomer::predict
