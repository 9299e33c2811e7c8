// SPDX-License-Identifier: BSD-3-Clause
// How long the run would take on a network on which messages take no time but must still be waited
// for: what each location needs of others is told to one process, which replays it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
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
// `phase_of_node`: of the process's call tree. None if some process has no MPI_Init. Collective.
[[nodiscard]] std::optional<IdealRun> replay_on_ideal_network(
    const Recorded& recorded, std::span<const std::uint8_t> phase_of_node, const Progress& progress,
    parallel::Processes& processes);

}  // namespace latecomer::replay
