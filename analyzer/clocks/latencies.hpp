// SPDX-License-Identifier: BSD-3-Clause
// The minimum latency of each class of links of a trace.
#pragma once

#include <string>

#include "analyzer/clocks/correction.hpp"
#include "analyzer/parallel/processes.hpp"

namespace latecomer::replay {

// The place of every process, and the minimum latencies. Inside a node the latency is one tick.
// Otherwise it is what the user gives, or what the archive contains, or an estimate from messages:
// half of the smallest sum of receive - send in both directions between two nodes. Both messages
// must be in the same 64th of the run (or four of them and so on, if there is none). Only messages
// that were waited for count, since others had arrived before. Without such messages the latency is
// one tick. Collective.
[[nodiscard]] sync::Topology find_topology(const trace::Definitions& definitions,
                                           const CorrectionOptions& options,
                                           const std::vector<trace::LocationEvents>& mine,
                                           const MatchedMessages& messages,
                                           parallel::Processes& processes);

// Parses "1.5us" or "1.5us,500us": latency inside a metahost, and between metahosts. Units: ns, us,
// ms, s. False: the text has another form.
[[nodiscard]] bool read_latencies(const std::string& text, CorrectionOptions& options);

}  // namespace latecomer::replay
