// SPDX-License-Identifier: BSD-3-Clause
// How well the processors were used, and what the rest was lost to: the efficiencies of the POP
// project.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/replay/ideal_network.hpp"
#include "analyzer/replay/program_phases.hpp"

namespace latecomer::replay {

struct LocationTimes {
  std::vector<trace::Ticks> useful;  // by location
  // By location and phase, causes::kPhases of each location.
  std::vector<trace::Ticks> useful_in, in_mpi_in, all_in;
};

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
class Efficiency {
 public:
  // Once the times of call paths are booked. `recorded` lives as long. Collective.
  Efficiency(const Recorded& recorded, const Progress& progress, parallel::Processes& processes);

  // For those who have time for its rounds; null if there is no such replay.
  [[nodiscard]] IdealNetwork* ideal_network() { return ideal_ ? &*ideal_ : nullptr; }
  // Key "efficiency" of latecomer.json; null if nothing was recorded. If some rank has no MPI_Init,
  // what needs I is null. Collective, once.
  [[nodiscard]] nlohmann::json result(parallel::Processes& processes);

 private:
  const Recorded recorded_;
  trace::Ticks run_time_ = 0;
  ProgramPhases phases_;
  LocationTimes times_;
  std::optional<IdealNetwork> ideal_;
};

}  // namespace latecomer::replay
