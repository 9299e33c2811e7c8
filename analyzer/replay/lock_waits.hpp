// SPDX-License-Identifier: BSD-3-Clause
// What processes waited for locks of windows.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/causes/sync_points.hpp"
#include "analyzer/replay/booking.hpp"
#include "analyzer/replay/partition.hpp"

namespace latecomer::replay {

// A hosted location waited in a call.
struct LockWait {
  std::uint32_t location = 0, call = 0;
  trace::Ticks wait = 0;
};

// When a lock is granted is not recorded, and MPI may ask for it later than the program did. What
// is known: it was not granted before another process, whose lock excludes this one and who had it
// first, began to release its own.
// Collective.
std::vector<LockWait> book_lock_waits(Booking& booking, causes::SyncPoints& points,
                                      const Partition& partition, parallel::Processes& processes);

}  // namespace latecomer::replay
