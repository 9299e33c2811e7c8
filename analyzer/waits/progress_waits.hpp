// SPDX-License-Identifier: BSD-3-Clause
// Waits in one-sided calls for targets that were not in MPI.
#pragma once

#include <vector>

#include "analyzer/booking/booking.hpp"
#include "analyzer/causes/sync_points.hpp"
#include "analyzer/match/partition.hpp"
#include "analyzer/waits/lock_waits.hpp"

namespace latecomer::replay {

// Books such waits for calls in epochs with locks. Each call asks its targets when they next
// entered MPI. `locks` has the waits for locks in the same calls. Collective.
void book_progress_waits(Booking& booking, causes::SyncPoints& points, const Partition& partition,
                         const std::vector<LockWait>& locks, parallel::Processes& processes);

}  // namespace latecomer::replay
