// SPDX-License-Identifier: BSD-3-Clause
// The report's statements about clocks and their correction.
#pragma once

#include <vector>

#include "analyzer/clocks/correction.hpp"
#include "analyzer/report/extras/extras.hpp"
#include "analyzer/trace/definitions/definitions.hpp"

namespace latecomer::replay {

// What was found out about clocks, and how times were corrected.
[[nodiscard]] report::Clocks clock_results(const trace::Definitions& definitions,
                                           const sync::Topology& topology,
                                           const Correction& correction);

// Notes on data quality that result from the clocks.
[[nodiscard]] std::vector<report::QualityNote> clock_notes(const trace::Definitions& definitions,
                                                           const Correction& correction);

}  // namespace latecomer::replay
