// SPDX-License-Identifier: BSD-3-Clause
// Wait at Barrier: its record.
#include "patterns/waits/barrier_wait.hpp"

#include "patterns/drawings/shapes.hpp"
#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {

FollowedWait barrier_wait_state() {
  return {
      .metric =
          Metric{
              .name = "mpi_barrier_wait",
              .display = "Wait at Barrier",
              .parent = "mpi_sync_collective",
              .unit = Unit::kSeconds,
              .description = "Time in MPI_Barrier before the last process had entered it.",
              .explanation =
                  "A barrier opens when the last process arrives. Each process is charged the time "
                  "from its own arrival to that of the last one.\n"
                  "Typical causes: uneven work before the barrier; one process that writes files "
                  "or prints while the others already stand at the barrier; delays inherited from "
                  "earlier waits.\n"
                  "What to try: ask first whether the barrier is needed at all: messages and "
                  "collective operations synchronize as far as their data requires it. Where it is "
                  "needed, find the processes that come last and even out the work before it, or "
                  "use MPI_Ibarrier and do something useful in the meantime.\n",
              .formula = "min(latest enter, own leave) - own enter",
              .advice = "Ask whether the barrier is needed; if so, even out the work before it.",
          },
      .order = 30,
      .waiting = true,
      .polling = 3,
      .causes = OwnCauses{.delay = "delay_barrier", .split = "barrier", .chain = "barrier"},
      .drawing = one_call("MPI_Barrier"),
  };
}

}  // namespace latecomer::patterns
