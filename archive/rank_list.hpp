// SPDX-License-Identifier: BSD-3-Clause
// Lists of ranks in messages.
#pragma once

#include <string>
#include <vector>

namespace latecomer {

// "rank 3", "ranks 0-2, 5" for ranks in ascending order.
[[nodiscard]] std::string rank_list(const std::vector<int>& ranks);

}  // namespace latecomer
