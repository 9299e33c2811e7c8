// SPDX-License-Identifier: BSD-3-Clause
// How well the processors were used, and what the rest was lost to: the efficiencies of the POP
// project.
#pragma once

#include <nlohmann/json.hpp>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/replay/booking.hpp"

namespace latecomer::replay {

// Useful is the time in `comp`. With the run time R, without what MPI itself needed to start and to
// end (from the last enter of MPI_Init to the last leave, and the same of MPI_Finalize), and, over
// all threads, the useful times u:
//
//   parallel efficiency = load balance x communication efficiency = mean(u) / R
//   load balance = mean(u) / max(u)                communication efficiency = max(u) / R
//   communication efficiency = serialization x transfer
//   serialization = max(u) / I                     transfer = I / R
//
// I is the run time on an ideal network, where messages take no time but must still be waited for:
// the time outside MPI along the critical path, at least max(u). A shorter path cannot be had by
// making the network faster; another one may become the longest, so I is a lower bound.
//
// Key "efficiency" of latecomer.json; null if nothing was recorded. Without a critical path (some
// rank has no MPI_Init) what needs it is null. Collective, after the causes are booked.
[[nodiscard]] nlohmann::json efficiency_json(const Booking& booking,
                                             parallel::Processes& processes);

}  // namespace latecomer::replay
