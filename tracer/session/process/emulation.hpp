// SPDX-License-Identifier: BSD-3-Clause
// Emulated clock of this process's node: LATECOMER_TIMER_EMULATION.
#pragma once

#include <optional>

#include "archive/result.hpp"
#include "sync/clock_model.hpp"

namespace latecomer::session {

// Clock model in the file for LATECOMER_NODE, or for the host name if that is not set. Empty
// without a file, or if the file does not name the node. The file is read once; call after begin().
[[nodiscard]] const Result<std::optional<sync::ClockSpec>>& emulated_clock();

}  // namespace latecomer::session
