// SPDX-License-Identifier: BSD-3-Clause
// MPI libraries that the program loads itself.
#pragma once

namespace latecomer::session {

// Our references to PMPI_* are bound when they are called, in what is visible to all. An MPI
// library that was loaded for one module only, as extensions of Python do, is not: this makes it
// visible. Does nothing where PMPI is found, or where no MPI library is loaded (yet).
void reach_mpi();

// Profiling layers of the program (tracer/mpi/layers.hpp). Weak: tests of parts have no wrappers.
[[gnu::weak]] void find_layers();

}  // namespace latecomer::session
