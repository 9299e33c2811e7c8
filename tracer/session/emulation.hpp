// SPDX-License-Identifier: BSD-3-Clause
// The emulated clock of this process's node: LATECOMER_TIMER_EMULATION.
#pragma once

#include <optional>

#include "archive/result.hpp"
#include "sync/clock_model.hpp"

namespace latecomer::session {

// What the file says about LATECOMER_NODE, else the host name; nothing without a file or where the
// file does not name the node. Read once; after begin().
[[nodiscard]] const Result<std::optional<sync::ClockSpec>>& emulated_clock();

}  // namespace latecomer::session
