// SPDX-License-Identifier: BSD-3-Clause
// What lives from MPI_Init to MPI_Finalize. Inside tracer/session only.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "tracer/session/clock_exchange.hpp"
#include "tracer/session/parts.hpp"

namespace latecomer::session {

struct Run {
  MPI_Comm comm = MPI_COMM_NULL;  // ours alone: no message of the program can get in between
  int rank = 0;
  int size = 0;
  Part part;  // the experiment directory
  std::unique_ptr<ClockMeasurement> clocks;
};

extern Run* run;  // null where nothing is recorded

// Whether the settings about recording less fit a run of this size.
[[nodiscard]] Status check_recording_less(int size);

// At the end: what was not recorded because of a size, or a window that never opened. Collective.
void report_recording_less();

// One line to the user.
void say(const std::string& text);

}  // namespace latecomer::session
