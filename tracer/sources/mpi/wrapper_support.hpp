// SPDX-License-Identifier: BSD-3-Clause
// Everything that the generated wrappers include.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>

#include "tracer/functions/regions.hpp"
#include "tracer/session/process/session.hpp"
#include "tracer/sources/mpi/calls/call.hpp"
#include "tracer/sources/mpi/calls/comm_call.hpp"
#include "tracer/sources/mpi/calls/plain_call.hpp"
#include "tracer/sources/mpi/calls/window_call.hpp"
#include "tracer/sources/mpi/layers/layers.hpp"
#include "tracer/sources/mpi/layers/other_mpi.hpp"
#include "tracer/sources/mpi/objects/files.hpp"
#include "tracer/sources/mpi/objects/neighbors.hpp"
#include "tracer/sources/mpi/open_mpi_fortran.hpp"

#define LATECOMER_API extern "C" [[gnu::visibility("default")]]

namespace latecomer::mpi {

// Steps of programs with sessions. Without MPI_Init they are recorded from their first communicator
// of all processes on (life_cycle.cpp).
void session_begins();
void session_initialized();
void session_finalized();

}  // namespace latecomer::mpi

#if defined(MPICH_VERSION)
// Objects that represent MPI_STATUS(ES)_IGNORE in mpi_f08 of MPICH, declared by its mpi.h. They
// only exist in Fortran programs.
#pragma weak MPIR_F08_MPI_STATUS_IGNORE_OBJ
#pragma weak MPIR_F08_MPI_STATUSES_IGNORE_OBJ

namespace latecomer::mpi {

inline MPI_Status* f08_status(void* status) {
  if (status == &MPIR_F08_MPI_STATUS_IGNORE_OBJ) return MPI_STATUS_IGNORE;
  if (status == &MPIR_F08_MPI_STATUSES_IGNORE_OBJ) return MPI_STATUSES_IGNORE;
  return static_cast<MPI_Status*>(status);
}

inline void use_f08_status(void*& reference, MPI_Status* chosen) {
  if (chosen != MPI_STATUS_IGNORE && chosen != MPI_STATUSES_IGNORE) reference = chosen;
}

}  // namespace latecomer::mpi
#endif

using namespace latecomer;       // NOLINT: generated sources hold wrappers only
using namespace latecomer::mpi;  // NOLINT: the words of the recipes
