// SPDX-License-Identifier: BSD-3-Clause
// A program may have a profiling layer of its own in a shared library: MPI functions that do
// something, then call PMPI. They are called as they would be without us.
#pragma once

#include <array>

#include "tracer/mpi/regions.hpp"

namespace latecomer::mpi {

// By region: the function of a layer that comes next behind ours; nullptr: none does.
extern std::array<void*, kRegionCount> layers;

}  // namespace latecomer::mpi

// Calls what a wrapper stands in front of. PMPI is called by its name, not by its address, so that
// it is bound at the first call: a program may load its MPI library later.
#define LATECOMER_NEXT(name, ...)                                                               \
  (latecomer::mpi::layers[latecomer::mpi::k##name] == nullptr                                   \
       ? P##name(__VA_ARGS__)                                                                   \
       : reinterpret_cast<decltype(&P##name)>(latecomer::mpi::layers[latecomer::mpi::k##name])( \
             __VA_ARGS__))
