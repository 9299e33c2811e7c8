// SPDX-License-Identifier: BSD-3-Clause
// The minimum latency of each class of links of a trace.
#pragma once

#include <string>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/replay/correction.hpp"

namespace latecomer::replay {

// Where every process is, and the latencies: one tick inside a node; elsewhere what the user says,
// else what the archive says, else half of the shortest there and back that the messages show: the
// smallest sum of receive - send in both directions between two nodes within one 64th of the run
// (or four of them and so on, if there is none), among messages that were waited for, since all
// others lay about for some time; one tick without such.
// Collective.
[[nodiscard]] sync::Topology find_topology(const trace::Definitions& definitions,
                                           const CorrectionOptions& options,
                                           const std::vector<trace::LocationEvents>& mine,
                                           const MatchedMessages& messages,
                                           parallel::Processes& processes);

// "1.5us" or "1.5us,500us": latency inside a metahost, and between metahosts. Units ns, us, ms, s.
// False: neither.
[[nodiscard]] bool read_latencies(const std::string& text, CorrectionOptions& options);

}  // namespace latecomer::replay
