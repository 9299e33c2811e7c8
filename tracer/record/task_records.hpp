// SPDX-License-Identifier: BSD-3-Clause
// The record of a thread that had to wait for the creation of its next task.
#pragma once

#include "tracer/record/extended.hpp"

namespace latecomer::record {

// Comes before the enter of a task of OpenMP, if that was created after the thread's last record:
// the thread had none until then. Its word: how many ticks ago the task was created.
inline constexpr ExtendedKind kTaskAwaited{Family::kThreads, 0x2a};

}  // namespace latecomer::record
