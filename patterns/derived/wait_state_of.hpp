// SPDX-License-Identifier: BSD-3-Clause
// Finds the wait state that a metric is about. The metric may be a part, cause or count of it, or
// its version between metahosts.
#pragma once

#include <string>
#include <string_view>

namespace latecomer::patterns {

// "mpi_latesender" for delay_latesender_longterm, mpi_wait_indirect_latesender, polling_latesender,
// grid_latesender, metahost_pairs_latesender_0_1, mpi_sls_count. The name itself for wait states,
// their parts that have their own drawing, and completions. Empty for all other metrics.
[[nodiscard]] std::string wait_state_of(std::string_view metric);

}  // namespace latecomer::patterns
