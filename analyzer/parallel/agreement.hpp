// SPDX-License-Identifier: BSD-3-Clause
// The agreement at the end of parallel phases, so that one message is printed for all ranks.
#pragma once

#include "analyzer/parallel/processes.hpp"
#include "archive/result.hpp"

namespace latecomer::parallel {

// Returns the Problem of the lowest process that has one, on every process; success if none has.
// Collective.
[[nodiscard]] Status agree(Processes& processes, const Status& mine);

}  // namespace latecomer::parallel
