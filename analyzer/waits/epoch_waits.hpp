// SPDX-License-Identifier: BSD-3-Clause
// Waits in epochs of one-sided communication between groups of processes.
#pragma once

#include "analyzer/booking/booking.hpp"
#include "analyzer/causes/sync_points.hpp"
#include "analyzer/clocks/clock_check.hpp"
#include "analyzer/match/partition.hpp"

namespace latecomer::replay {

// Books late posts at origins and early waits at targets. Collective.
void book_epoch_waits(Booking& booking, causes::SyncPoints& points, const Partition& partition,
                      ClockCheck& clocks, parallel::Processes& processes);

}  // namespace latecomer::replay
