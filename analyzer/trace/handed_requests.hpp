// SPDX-License-Identifier: BSD-3-Clause
// Requests that one thread of a process starts and another one completes.
#pragma once

#include <vector>

#include "analyzer/trace/definitions.hpp"
#include "analyzer/trace/location_events.hpp"

namespace latecomer::trace {

// Puts together what the locations of each process have left (LocationEvents::open_here,
// completed_here). What was completed has its place in the order where it was started, and stays
// where the waiting was: in the call that completed it. A receive does not say any more when it was
// posted, since that was in no call of this thread.
//   thread 0   Irecv r                     receives: (open)  -> thread 1, 0
//   thread 1              Wait r           receives: message
// `mine` is sorted by process, and holds whole processes.
void join_requests(const Definitions& definitions, std::vector<LocationEvents>& mine);

}  // namespace latecomer::trace
