// SPDX-License-Identifier: BSD-3-Clause
// Profiling layers of the program in shared libraries: MPI functions that do something, then call
// PMPI. The wrappers call them, as the program would without the measurement library.
#pragma once

#include "tracer/functions/regions.hpp"
#include "tracer/state/process.hpp"

namespace latecomer::mpi {

// The function of a layer that comes after the wrapper; nullptr: none.
[[gnu::always_inline]] inline void* next_layer(RegionIndex region) {
  return process().mpi.layers.next[region];
}

}  // namespace latecomer::mpi

// Calls the function that a wrapper replaces. PMPI is called by its name, not by its address. It is
// then bound at the first call, since a program may load its MPI library later.
#define LATECOMER_NEXT(name, ...)                                 \
  (latecomer::mpi::next_layer(latecomer::mpi::k##name) == nullptr \
       ? P##name(__VA_ARGS__)                                     \
       : reinterpret_cast<decltype(&P##name)>(                    \
             latecomer::mpi::next_layer(latecomer::mpi::k##name))(__VA_ARGS__))
