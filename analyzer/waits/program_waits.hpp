// SPDX-License-Identifier: BSD-3-Clause
// Waits of all processes in MPI_Init and MPI_Finalize.
#pragma once

#include "analyzer/booking/booking.hpp"
#include "analyzer/causes/sync_points.hpp"
#include "analyzer/parallel/processes.hpp"

namespace latecomer::replay {

// Books them. The calls are found by their names, since not all measurement systems record them as
// collective operations. Processes without these calls are left out. Collective.
void book_program_waits(Booking& booking, causes::SyncPoints& points,
                        parallel::Processes& processes);

}  // namespace latecomer::replay
