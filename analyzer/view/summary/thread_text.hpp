// SPDX-License-Identifier: BSD-3-Clause
// Says how threads waited for threads of their own process, and what made them wait.
#pragma once

#include <string>

#include "analyzer/view/summary/summary.hpp"

namespace latecomer::view {

// The three largest wait states of threads, and what caused most of the waiting. Empty if there is
// none of 0.1 % of the time.
[[nodiscard]] std::string thread_waits(const Summary& summary);

}  // namespace latecomer::view
