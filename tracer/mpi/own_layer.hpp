// SPDX-License-Identifier: BSD-3-Clause
// A program may have a profiling layer in its executable: MPI functions of its own that call PMPI.
// They stand in front of ours, which would never be called. What they call as PMPI is led to ours.
#pragma once

namespace latecomer::mpi {

// Before the program's first call of MPI. Only for functions that the executable has itself, and
// only its calls: those of all libraries, ours and MPI among them, go where they went.
void lead_own_layer_here();

}  // namespace latecomer::mpi
