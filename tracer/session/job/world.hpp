// SPDX-License-Identifier: BSD-3-Clause
// Communicator of all processes that are recorded together.
#pragma once

#include <mpi.h>

namespace latecomer::session {

// The tracer's own communicator in a program that only uses sessions; set before mpi_initialized().
inline MPI_Comm own_world{};
inline bool has_own_world = false;

inline MPI_Comm world_comm() { return has_own_world ? own_world : MPI_COMM_WORLD; }

}  // namespace latecomer::session
