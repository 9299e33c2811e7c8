// SPDX-License-Identifier: BSD-3-Clause
// Windows of this process: local ids, numbers on which all members agree, and open transfers.
#pragma once

#include <mpi.h>

#include "tracer/record/writer.hpp"
#include "tracer/sources/mpi/objects/communicators.hpp"
#include "tracer/state/process.hpp"

namespace latecomer::mpi {

namespace windows {

// Adds a new window. All members of the communicator make their windows in the same order, so its
// number there identifies it. Null if the communicator is unknown.
WindowInfo* add(MPI_Win win, MPI_Comm comm);
[[nodiscard]] WindowInfo* find(MPI_Win win);
// Forgets a window that is about to be freed; restores it if MPI refused to free it.
WindowInfo* remove(MPI_Win win);
void restore(MPI_Win win, WindowInfo* info);
// Logs the name that the program gave to a window.
void set_name(MPI_Win win);

// Logs the members of a group the first time. kNoGroup if it has processes of other worlds.
std::uint32_t group_of(MPI_Group group);

}  // namespace windows

}  // namespace latecomer::mpi
