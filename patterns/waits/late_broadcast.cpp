// SPDX-License-Identifier: BSD-3-Clause
// Late Broadcast: its entry in the metric tree.
#include "patterns/waits/late_broadcast.hpp"

namespace latecomer::patterns {

Metric late_broadcast_metric() {
  return {
      .name = "mpi_latebroadcast",
      .display = "Late Broadcast",
      .parent = "mpi_collective",
      .unit = Unit::kSeconds,
      .description = "Time processes waited in a 1-to-N operation for the root to enter it.",
      .explanation =
          "Nothing can arrive from MPI_Bcast or MPI_Scatter before the root has entered it. "
          "Processes that were there earlier are charged the time until the root came.\n"
          "Typical causes: the root has work of its own before it distributes data: it reads "
          "input, computes parameters, or collects results.\n"
          "What to try: move that work elsewhere or share it; broadcast as soon as the data is "
          "known; MPI_Ibcast lets the others do something useful in the meantime.\n",
      .formula = "min(enter of the root, own leave) - own enter",
      .advice = "Shorten what the root does before the operation, or share that work.",
  };
}

}  // namespace latecomer::patterns
