// SPDX-License-Identifier: BSD-3-Clause
// Which wait state a metric is about: its parts, its causes, its counts, its version between
// metahosts.
#pragma once

#include <string>
#include <string_view>

namespace latecomer::patterns {

// "mpi_latesender" for delay_latesender_longterm, mpi_wait_indirect_latesender, polling_latesender,
// grid_latesender, metahost_pairs_latesender_0_1, mpi_sls_count; the name itself for wait states,
// parts of them that have a drawing of their own, and completions; empty for all others.
[[nodiscard]] std::string wait_state_of(std::string_view metric);

}  // namespace latecomer::patterns
