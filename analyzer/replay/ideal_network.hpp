// SPDX-License-Identifier: BSD-3-Clause
// How long the run would take on a network on which messages take no time but must still be waited
// for: what each location needs of others is told to one process, which replays it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/replay/ideal_steps.hpp"
#include "analyzer/replay/progress.hpp"

namespace latecomer::replay {

// Of every location, by index in Definitions::locations.
struct IdealRun {
  std::vector<trace::Ticks> ends;  // since the first event of the run
  // What it waited: phase by phase, causes::kPhases of each location.
  std::vector<trace::Ticks> waits;
  std::int64_t dropped = 0;  // needs that contradict each other
};

// What depends on what:
// - a receive on the enter of the call that sent; a send that can be blocked (late receivers) on
//   the enter of the call that posted its receive;
// - barriers and N x N on everybody, 1-to-N on the root, N-to-1 at the root on everybody, prefix
//   operations on the lower ranks, those on neighborhoods on the neighbors; MPI_Init and
//   MPI_Finalize on everybody;
// - one-sided communication on the same calls that it waited for.
// Everything outside of MPI takes as long as it took, calls of MPI only what they wait. A thread
// begins after the MPI call of its process's first thread that came before.
//
// The replay goes on in rounds, so that it can go on beside other work: in each of them every
// process tells the host what its locations did in a further part of their calls, and the host goes
// on with that as far as it gets.
class IdealNetwork {
 public:
  // By node of the process's call tree: functions of MPI, and what they call.
  struct MpiNodes {
    std::vector<std::uint8_t> functions, inside;
  };

  // `phase_of_node`: of the process's call tree. Collective.
  IdealNetwork(const Recorded& recorded, std::vector<std::uint8_t> phase_of_node,
               const Progress& progress, parallel::Processes& processes);

  IdealNetwork(const IdealNetwork&) = delete;  // its steps refer to it
  IdealNetwork& operator=(const IdealNetwork&) = delete;

  // The process that replays: that with the fewest waits of its own.
  [[nodiscard]] int host() const { return host_; }
  // To go on in at least so many rounds, the same on all processes. Before the first one.
  void divide_into(std::size_t rounds) { rounds_ = std::max(rounds_, rounds); }
  // A round, nothing if all are over: what is told to the host,
  void tell(parallel::Packer& to);
  // what it hears of each process,
  void take(parallel::Unpacker& from);
  // and what it does with that.
  void replay();
  // What is left of the rounds. None if some process has no MPI_Init. Collective.
  [[nodiscard]] std::optional<IdealRun> finish(parallel::Processes& processes);

 private:
  const Recorded recorded_;
  const std::vector<std::uint8_t> phase_of_node_;
  const MpiNodes mpi_nodes_;
  const Progress progress_;
  const int host_;
  std::vector<IdealSteps> steps_;              // per hosted location
  std::optional<causes::IdealReplay> replay_;  // on the host
  bool possible_ = false;
  std::size_t calls_ = 0;               // of the hosted locations
  std::size_t rounds_ = 0, round_ = 0;  // in all, and how many are over
  StepsByCall by_call_;
  memory::Vector<causes::Step> told_;
};

}  // namespace latecomer::replay
