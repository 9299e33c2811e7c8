// SPDX-License-Identifier: BSD-3-Clause
// How well the processors were used, and what the rest was lost to: the efficiencies of the POP
// project.
#pragma once

#include <nlohmann/json.hpp>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/replay/ideal_network.hpp"

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
// I is the run time on an ideal network (ideal_network), where messages take no time but must still
// be waited for, and calls of MPI take only that.
//
// The same for each phase of the program: then R is the longest time of a location in it, I the
// longest with what it would wait there on an ideal network.
//
// Key "efficiency" of latecomer.json; null if nothing was recorded. If some rank has no MPI_Init,
// what needs I is null. Collective, after the causes are booked.
[[nodiscard]] nlohmann::json efficiency_json(const Recorded& recorded, const Progress& progress,
                                             parallel::Processes& processes);

}  // namespace latecomer::replay
