// SPDX-License-Identifier: BSD-3-Clause
// Waiting times for locks of windows.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/booking/booking.hpp"
#include "analyzer/causes/sync_points.hpp"
#include "analyzer/match/partition.hpp"

namespace latecomer::replay {

// A wait of a hosted location in a call.
struct LockWait {
  std::uint32_t location = 0, call = 0;
  trace::Ticks wait = 0;
};

// Books the waits for locks. The time at which a lock is granted is not recorded, and MPI may
// request the lock later than the program. It is known, however, that an earlier holder whose lock
// excludes this one must have begun to release it before. Collective.
std::vector<LockWait> book_lock_waits(Booking& booking, causes::SyncPoints& points,
                                      const Partition& partition, parallel::Processes& processes);

}  // namespace latecomer::replay
