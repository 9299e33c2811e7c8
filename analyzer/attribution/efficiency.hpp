// SPDX-License-Identifier: BSD-3-Clause
// The efficiencies of the POP project: use of the processors, and the reasons for lost time.
#pragma once

#include <optional>
#include <vector>

#include "analyzer/attribution/ideal_network.hpp"
#include "analyzer/attribution/program_phases.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/report/extras/pop_efficiency.hpp"

namespace latecomer::replay {

// Times of all locations, summed over call paths.
struct LocationTimes {
  std::vector<trace::Ticks> useful, outside_mpi;  // by location
  // Times by location and phase; each location has engine::kPhases elements.
  std::vector<trace::Ticks> useful_in, in_mpi_in, all_in;
};

// Useful time is the time in `comp`. R is the run time without what MPI itself needed to start and
// to end: the times from the last enter to the last leave of MPI_Init and of MPI_Finalize. Over the
// useful times u of all threads:
//
//   parallel efficiency = load balance x communication efficiency = mean(u) / R
//   load balance = mean(u) / max(u)                communication efficiency = max(u) / R
//   communication efficiency = serialization x transfer
//   serialization = max(u) / I                     transfer = I / R
//
// I is the run time on an ideal network (ideal_network.hpp). There messages take no time but must
// still be waited for, and calls of MPI take only that waiting time.
//
// Of processes with several threads, let o be the time that the first thread of a thread's process
// was outside MPI, and m the largest useful time in that process, both counted for each thread:
//
//   parallel efficiency = efficiency of processes x efficiency of threads
//   efficiency of processes = mean(o) / R = load balance x communication
//   load balance = mean(o) / max(o)                communication = max(o) / R
//   efficiency of threads = mean(u) / mean(o) = load balance x synchronization
//   load balance = mean(u) / mean(m)               synchronization = mean(m) / mean(o)
//
// A phase of the program has the same efficiencies. R is then the longest time of a location in the
// phase. I is the longest time with the waits that it would have there on an ideal network.
class Efficiency {
 public:
  // Create it once the times of call paths are booked. `recorded` must live as long. Collective.
  Efficiency(const Recorded& recorded, const Progress& progress, parallel::Processes& processes);

  // The replay whose rounds other phases can run beside their work; null if there is none.
  [[nodiscard]] IdealNetwork* ideal_network() { return ideal_ ? &*ideal_ : nullptr; }
  // Nothing if parts of the run were not recorded. If a rank has no MPI_Init, there are no values
  // that need I. Collective; call it once.
  [[nodiscard]] std::optional<report::Efficiency> result(parallel::Processes& processes);

 private:
  const Recorded recorded_;
  trace::Ticks run_time_ = 0;
  ProgramPhases phases_;
  LocationTimes times_;
  std::optional<IdealNetwork> ideal_;
};

}  // namespace latecomer::replay
