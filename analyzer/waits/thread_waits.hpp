// SPDX-License-Identifier: BSD-3-Clause
// Waits of threads for threads of the same process, teams, and threads without work.
#pragma once

#include "analyzer/booking/booking.hpp"
#include "analyzer/causes/sync_points.hpp"

namespace latecomer::replay {

// Books management, waits at barriers, contended locks and idle threads of all hosted processes
// with records of threads. All threads of a process are hosted together, so no data is exchanged.
// Call it after the times of call paths are booked.
void book_thread_waits(Booking& booking, causes::SyncPoints& points);

}  // namespace latecomer::replay
