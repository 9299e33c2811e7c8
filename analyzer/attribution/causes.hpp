// SPDX-License-Identifier: BSD-3-Clause
// The reasons for waiting: delay costs, chains of waits, the critical path.
#pragma once

#include "analyzer/attribution/delay_cost_booking.hpp"
#include "analyzer/attribution/ideal_network.hpp"
#include "analyzer/booking/booking.hpp"
#include "analyzer/causes/sync_points.hpp"
#include "analyzer/match/collectives.hpp"
#include "analyzer/match/messages.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/parallel/work_progress.hpp"

namespace latecomer::replay {

// Marks calls with a send, receive or collective operation whose other side is not in the trace.
// Waits for such calls have no known cause.
void add_without_partner(causes::SyncPoints& points, const UnmatchedMessages& messages,
                         const UnmatchedCollectives& collectives);

// Books all metrics of patterns/delay_costs, wait_chains and critical_path. All waits and times of
// call paths must be booked, and the points connected. Waits are followed on one process. Meanwhile
// another one replays rounds of `beside`, unless that is null. Returns why causes were longer than
// waiters, as far as samples and counters tell. Collective.
DelayParts book_causes(Booking& booking, causes::SyncPoints& points, IdealNetwork* beside,
                       const Progress& progress, parallel::Processes& processes);

}  // namespace latecomer::replay
