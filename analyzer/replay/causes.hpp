// SPDX-License-Identifier: BSD-3-Clause
// Why there was waiting: delay costs, chains of waits, the critical path.
#pragma once

#include "analyzer/causes/sync_points.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/replay/booking.hpp"
#include "analyzer/replay/collectives.hpp"
#include "analyzer/replay/ideal_network.hpp"
#include "analyzer/replay/messages.hpp"
#include "analyzer/replay/progress.hpp"

namespace latecomer::replay {

// Calls of which a send, a receive or a collective operation has no other side in the trace: what
// others waited for them has no known cause.
void add_without_partner(causes::SyncPoints& points, const UnmatchedMessages& messages,
                         const UnmatchedCollectives& collectives);

// Books all metrics of patterns/delay_costs, wait_chains and critical_path, once all waits and
// times of call paths are booked and the points are connected. Waits are followed on one process;
// meanwhile another one replays rounds of `beside`, if that is not null. Collective.
void book_causes(Booking& booking, causes::SyncPoints& points, IdealNetwork* beside,
                 const Progress& progress, parallel::Processes& processes);

}  // namespace latecomer::replay
