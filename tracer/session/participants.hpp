// SPDX-License-Identifier: BSD-3-Clause
// Who is recorded, for all that sends messages of ours.
#pragma once

#include <cstdint>
#include <span>

#include "tracer/session/attendance.hpp"

namespace latecomer::session {

// Of this process, for its life.
Attendance& attendance();

// Before the real MPI_Init, or before the first session begins.
void announce();

enum class Turnout { kNobody, kSome, kEverybody };

// Which processes record in the world of this rank and size. Nobody does where recording is
// switched off on some, and one process says so. No process is asked by way of MPI: that would be
// a collective operation, which needs all of them.
[[nodiscard]] Turnout turnout(int rank, int size);

// The same for the world of a session, in which all record or, from here on, nobody does.
[[nodiscard]] bool everybody_came(int rank, int size);

// All processes are recorded together, so collective operations of ours have all of them.
[[nodiscard]] bool recorded_together();

// Whether all of these are recorded: a message of ours may go to any of them.
[[nodiscard]] bool all_recorded(std::span<const std::uint32_t> world_ranks);

}  // namespace latecomer::session
