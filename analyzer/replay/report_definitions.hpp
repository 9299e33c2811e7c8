// SPDX-License-Identifier: BSD-3-Clause
// What a trace defines, as a report defines it.
#pragma once

#include "analyzer/report/model.hpp"
#include "analyzer/trace/call_tree.hpp"
#include "analyzer/trace/definitions.hpp"

namespace latecomer::replay {

// Regions that no call path uses are left out. Location i of the trace is column i of the report.
// `metrics` stays empty: which of them are used is known at the end.
[[nodiscard]] report::Definitions report_definitions(const trace::Definitions& trace,
                                                     const trace::GlobalCallTree& tree);

}  // namespace latecomer::replay
