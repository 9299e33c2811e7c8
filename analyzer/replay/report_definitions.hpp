// SPDX-License-Identifier: BSD-3-Clause
// Converts the definitions of a trace to those of a report.
#pragma once

#include "analyzer/report/model/model.hpp"
#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/core/call_tree.hpp"

namespace latecomer::replay {

// Regions that no call path uses are left out. Location i of the trace is column i of the report.
// `metrics` stays empty; the used ones are known only at the end.
[[nodiscard]] report::Definitions report_definitions(const trace::Definitions& trace,
                                                     const trace::GlobalCallTree& tree);

}  // namespace latecomer::replay
