// SPDX-License-Identifier: BSD-3-Clause
// MPI libraries that the program loads itself.
#pragma once

namespace latecomer::session {

// Our references to PMPI_* are bound at their first call, in the symbols that all objects see. An
// MPI library loaded for one module only, as extensions of Python do, is not visible there; this
// function makes it visible. It does nothing if PMPI is found, or if no MPI library is loaded
// (yet).
void reach_mpi();

// Finds profiling layers of the program (tracer/sources/mpi/layers/layers.hpp). Weak: unit tests
// have no wrappers.
[[gnu::weak]] void find_layers();

}  // namespace latecomer::session
