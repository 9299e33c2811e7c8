// SPDX-License-Identifier: BSD-3-Clause
// Profiling layers in the executable: MPI functions of the program that call PMPI. They come before
// the wrappers, which would never be called. So their PMPI calls are led to the wrappers.
#pragma once

namespace latecomer::mpi {

// True if calls of this MPI function go to one in the executable whose PMPI call was led to the
// wrapper when this library was loaded. All other calls, those of libraries and of the wrappers
// among them, are unchanged.
[[nodiscard]] bool is_in_own_layer(const char* function);

}  // namespace latecomer::mpi
