// SPDX-License-Identifier: BSD-3-Clause
// Finds the metrics of a report that are waiting time.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/report/model/model.hpp"

namespace latecomer::view {

// The wait states of MPI in the order of the report: those of the pattern table, and those that
// other tools write. Parts of other wait states are left out, so the values may be added up.
[[nodiscard]] std::vector<std::uint32_t> wait_states_of(const report::Definitions& definitions);
// Wait states of threads, in the same way. They wait for threads of their own process.
[[nodiscard]] std::vector<std::uint32_t> thread_waits_of(const report::Definitions& definitions);

}  // namespace latecomer::view
