// SPDX-License-Identifier: BSD-3-Clause
// Communicator of all processes that are recorded together.
#pragma once

#include <mpi.h>

#include "tracer/state/process.hpp"

namespace latecomer::session {

inline MPI_Comm world_comm() {
  const WorldState& world = process().world;
  return world.has_own ? world.own : MPI_COMM_WORLD;
}

}  // namespace latecomer::session
