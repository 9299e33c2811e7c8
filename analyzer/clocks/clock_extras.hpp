// SPDX-License-Identifier: BSD-3-Clause
// The report's statements about clocks and their correction.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "analyzer/clocks/correction.hpp"
#include "analyzer/report/extras/extras.hpp"
#include "analyzer/trace/definitions/definitions.hpp"

namespace latecomer::replay {

// Member "clocks" of the report's JSON; times in seconds. The first step is "none" if local times
// were wanted, otherwise "linear":
//
//   {"latency": {"node": 1e-9, "metahost": 2e-6, "external": 5e-4},
//    "steps": [{"name": "linear", "messages": 12, "reversed_messages": 3, "collectives": 1,
//               "reversed_collectives": 0, "largest": 4e-5,
//               "pairs": [{"from": "bonn", "to": "juelich", "messages": 12, ...}]},
//              {"name": "clc", ...}],
//    "events_moved": 4711, "largest_shift": 4.1e-5,
//    "largest_growth": 1e-5, "interval_distortion": 0.4,
//    "jumps": 7, "largest_jump": 4e-5, "gamma": 0.999, "avalanche": false, "contradiction": false}
//
// The members after "steps" exist only if events were moved. The last line exists only if the
// controlled logical clock moved them.
[[nodiscard]] nlohmann::json clock_json(const trace::Definitions& definitions,
                                        const sync::Topology& topology,
                                        const Correction& correction);

// Notes on data quality that result from the clocks.
[[nodiscard]] std::vector<report::QualityNote> clock_notes(const trace::Definitions& definitions,
                                                           const Correction& correction);

}  // namespace latecomer::replay
