// SPDX-License-Identifier: BSD-3-Clause
// Notes about the run that the reader of a report should know: cores, threads.
#pragma once

#include <vector>

#include "analyzer/report/extras/extras.hpp"
#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/core/call_tree.hpp"

namespace latecomer::replay {

[[nodiscard]] std::vector<report::QualityNote> run_notes(const trace::Definitions& definitions,
                                                         const trace::GlobalCallTree& tree);

}  // namespace latecomer::replay
