// SPDX-License-Identifier: BSD-3-Clause
// MPI_Init and MPI_Finalize of all processes.
#pragma once

#include "analyzer/causes/sync_points.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/replay/booking.hpp"

namespace latecomer::replay {

// Found by the names of the calls: not all measurement systems record them as collective
// operations. Processes without them are left out. Collective.
void book_program_waits(Booking& booking, causes::SyncPoints& points,
                        parallel::Processes& processes);

}  // namespace latecomer::replay
