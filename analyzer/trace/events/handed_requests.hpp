// SPDX-License-Identifier: BSD-3-Clause
// Requests that one thread of a process starts and another one completes.
#pragma once

#include <vector>

#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::trace {

// Joins the requests that the locations of each process left (LocationEvents::open_here and
// completed_here). An operation keeps its place in the order where it was started. Its data stay in
// the call that completed it, where the wait was. A receive loses the information when it was
// posted, since that was in no call of this thread.
//   thread 0   Irecv r                     receives: (open)  -> thread 1, 0
//   thread 1              Wait r           receives: message
// `mine` must be sorted by process and contain whole processes.
void join_requests(const Definitions& definitions, std::vector<LocationEvents>& mine);

}  // namespace latecomer::trace
