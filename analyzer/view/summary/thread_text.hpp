// SPDX-License-Identifier: BSD-3-Clause
// Says how threads waited for threads of their own process, and what made them wait.
#pragma once

#include <string>

#include "analyzer/view/summary/summary.hpp"

namespace latecomer::view {

// At most three wait states of threads, the number of smaller ones, and the largest cause. Empty if
// no wait state has 0.1 % of the time.
[[nodiscard]] std::string thread_waits(const Summary& summary);

}  // namespace latecomer::view
