// SPDX-License-Identifier: BSD-3-Clause
// Run time on an ideal network, where messages take no time but must still be waited for. One
// process gets the needs of all locations and replays them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyzer/attribution/ideal_steps.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/parallel/work_progress.hpp"

namespace latecomer::replay {

// Results for every location, by index in Definitions::locations.
struct IdealRun {
  std::vector<trace::Ticks> ends;  // end of each location since the first event of the run
  // Waiting times by phase; each location has engine::kPhases elements.
  std::vector<trace::Ticks> waits;
  std::int64_t dropped = 0;  // needs that contradict each other and were ignored
};

// The run on an ideal network. These are its dependencies:
// - A receive needs the enter of the call that sent. A send that may be blocked (late receivers)
//   needs the enter of the call that posted its receive.
// - Barriers, N-to-N operations, MPI_Init and MPI_Finalize need all members. 1-to-N operations need
//   the root, and the root of an N-to-1 operation needs all members. Prefix operations need the
//   lower ranks, operations on neighborhoods the neighbors.
// - One-sided communication needs the calls that it waited for in the recorded run.
//
// Time outside MPI is as long as in the recorded run. Calls of MPI take only their waiting time. A
// thread begins after the last MPI call of the process's first thread before it.
//
// The replay proceeds in rounds, so that it can run beside other work. In each round every process
// sends the host the steps of a further part of its calls. The host replays as far as it gets.
class IdealNetwork {
 public:
  // Flags by node of the process's call tree: functions of MPI, and nodes below such functions.
  struct MpiNodes {
    std::vector<std::uint8_t> functions, inside;
  };

  // `phase_of_node` is indexed by node of the process's call tree. With `whole` the steps are those
  // of a whole run, for gather(); it must live as long. Collective.
  IdealNetwork(const Recorded& recorded, std::vector<std::uint8_t> phase_of_node,
               const Progress& progress, parallel::Processes& processes,
               const WholeRun* whole = nullptr);

  IdealNetwork(const IdealNetwork&) = delete;  // its steps refer to it
  IdealNetwork& operator=(const IdealNetwork&) = delete;

  // The process that replays: the one with the fewest waits.
  [[nodiscard]] int host() const { return host_; }
  // Divides the replay into at least so many rounds, the same number on all processes. Call it
  // before the first round.
  void divide_into(std::size_t rounds) { rounds_ = std::max(rounds_, rounds); }
  // A round has three steps. tell() packs what this process sends to the host; it sends nothing
  // once all rounds are over.
  void tell(parallel::Packer& to);
  // take() unpacks at the host what one process sent.
  void take(parallel::Unpacker& from);
  // replay() continues the replay at the host.
  void replay();
  // Runs the remaining rounds. No result if some process has no MPI_Init. Collective.
  [[nodiscard]] std::optional<IdealRun> finish(parallel::Processes& processes);
  // Instead of a replay: brings the steps of all locations to the host; the others get none.
  // Collective.
  [[nodiscard]] engine::StepReplay::Steps gather(parallel::Processes& processes);
  // After gather(): IdealSteps::needing_calls of a hosted location.
  [[nodiscard]] std::span<const NeedingCall> needing_calls(std::size_t l) const {
    return l < steps_.size() ? std::span(steps_[l].needing_calls())
                             : std::span<const NeedingCall>();
  }

 private:
  const Recorded recorded_;
  const std::vector<std::uint8_t> phase_of_node_;
  const MpiNodes mpi_nodes_;
  const Progress progress_;
  const int host_;
  std::vector<IdealSteps> steps_;             // per hosted location
  std::optional<engine::StepReplay> replay_;  // on the host
  const bool whole_;
  bool possible_ = false;
  std::size_t calls_ = 0;               // number of calls of the hosted locations
  std::size_t rounds_ = 0, round_ = 0;  // number of rounds in all, and of those that are over
  StepsByCall by_call_;
  memory::Vector<engine::Step> told_;
};

}  // namespace latecomer::replay
