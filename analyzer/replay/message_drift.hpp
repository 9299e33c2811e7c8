// SPDX-License-Identifier: BSD-3-Clause
// What the messages of a trace say about the drift of its clocks.
#pragma once

#include <vector>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/replay/clock_condition.hpp"
#include "analyzer/replay/shared_clocks.hpp"
#include "sync/piecewise_linear.hpp"

namespace latecomer::replay {

// One function from measured to better times per clock, the same on every process; empty if there
// is one clock only. Collective.
[[nodiscard]] std::vector<sync::PiecewiseLinear> find_message_drift(const ClockCondition& condition,
                                                                    const sync::Topology& topology,
                                                                    const SharedClocks& shared,
                                                                    parallel::Processes& processes);

}  // namespace latecomer::replay
