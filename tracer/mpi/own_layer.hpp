// SPDX-License-Identifier: BSD-3-Clause
// A program may have a profiling layer in its executable: MPI functions of its own that call PMPI.
// They stand in front of ours, which would never be called. What they call as PMPI is led to ours.
#pragma once

namespace latecomer::mpi {

// Whether calls of this MPI function go to one of the executable, whose PMPI call was led to ours
// when this library was loaded. All other calls, those of libraries and ours among them, go where
// they went.
[[nodiscard]] bool is_in_own_layer(const char* function);

}  // namespace latecomer::mpi
