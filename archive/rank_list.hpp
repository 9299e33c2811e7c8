// SPDX-License-Identifier: BSD-3-Clause
// Ranks in messages.
#pragma once

#include <string>
#include <vector>

namespace latecomer {

// "rank 3", "ranks 0-2, 5"; ascending.
[[nodiscard]] std::string rank_list(const std::vector<int>& ranks);

}  // namespace latecomer
