// SPDX-License-Identifier: BSD-3-Clause
// Which metrics of a report are waiting time.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/report/model.hpp"

namespace latecomer::view {

// The wait states of MPI in the order of the report: those that the pattern table knows, and those
// that other tools write. Parts of another wait state are left out, so values may be added up.
[[nodiscard]] std::vector<std::uint32_t> wait_states_of(const report::Definitions& definitions);

}  // namespace latecomer::view
