// SPDX-License-Identifier: BSD-3-Clause
// The drift of clocks as the messages of a trace show it.
#pragma once

#include <vector>

#include "analyzer/clocks/clock_condition.hpp"
#include "analyzer/clocks/shared_clocks.hpp"
#include "analyzer/parallel/processes.hpp"
#include "sync/piecewise_linear.hpp"

namespace latecomer::replay {

// Returns one function per clock, from measured to better times. The same on every process; empty
// if there is only one clock. Collective.
[[nodiscard]] std::vector<sync::PiecewiseLinear> find_message_drift(const ClockCondition& condition,
                                                                    const sync::Topology& topology,
                                                                    const SharedClocks& shared,
                                                                    parallel::Processes& processes);

}  // namespace latecomer::replay
