// SPDX-License-Identifier: BSD-3-Clause
// Barrier Completion: its record.
#include "patterns/waits/barrier_completion.hpp"

#include "patterns/drawings/shapes.hpp"
#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {

OtherWait barrier_completion_state() {
  return {
      .metric =
          Metric{
              .name = "mpi_barrier_completion",
              .display = "Barrier Completion",
              .parent = "mpi_sync_collective",
              .unit = Unit::kSeconds,
              .description = "Time in MPI_Barrier after the first process had left it.",
              .explanation =
                  "When the last process has entered a barrier and the first one has left it, what "
                  "the others still spend inside is the time that the news needs to reach them.\n"
                  "Typical causes: long paths in the network, processes that share a core and have "
                  "to be woken, interference by the operating system.\n"
                  "What to try: if it is large, look at the placement of processes: more processes "
                  "than cores, or groups spread over distant nodes.\n",
              .formula = "own leave - max(latest enter, earliest leave)",
              .advice = "If it is large, look at the placement of processes: more than cores, or "
                        "spread over distant nodes.",
          },
      .order = 230,
      .waiting = false,
      .polling = 0,
      .caused_like = std::nullopt,
      .drawing = completion("MPI_Barrier"),
  };
}

}  // namespace latecomer::patterns
