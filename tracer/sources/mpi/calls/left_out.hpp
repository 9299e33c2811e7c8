// SPDX-License-Identifier: BSD-3-Clause
// Functions that the filter leaves out.
#pragma once

#include "tracer/state/process.hpp"

namespace latecomer::mpi {

// True for a function that the filter leaves out.
[[gnu::always_inline]] inline bool left_out(record::RegionId region) {
  return process().mpi.left_out[region];
}
// Called in MPI_Init: finds out which these are.
void begin_leaving_out();

}  // namespace latecomer::mpi
