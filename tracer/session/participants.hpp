// SPDX-License-Identifier: BSD-3-Clause
// Participation of processes in the measurement, for code that sends messages of the tracer.
#pragma once

#include <cstdint>
#include <span>

#include "tracer/session/job/attendance.hpp"

namespace latecomer::session {

// Attendance of the processes; lives as long as this process.
Attendance& attendance();

// Called before the real MPI_Init, or before the first session begins.
void announce();

enum class Turnout { kNobody, kSome, kEverybody };

// Decides which processes record in the world with this rank and size. If recording is switched off
// on some of them, no process records, and one says so. MPI cannot be used to find this out: a
// collective operation would need all processes.
[[nodiscard]] Turnout turnout(int rank, int size);

// True if all processes of the world of a session record. Otherwise no process records from here
// on.
[[nodiscard]] bool everybody_came(int rank, int size);

// True if all processes are recorded together, so that collective operations of the tracer have
// all.
[[nodiscard]] bool recorded_together();

// True if all these processes are recorded, so that messages of the tracer may go to each of them.
[[nodiscard]] bool all_recorded(std::span<const std::uint32_t> world_ranks);

}  // namespace latecomer::session
