// SPDX-License-Identifier: BSD-3-Clause
// Wait at Finalize: its record.
#include "patterns/waits/finalize_wait.hpp"

#include "patterns/drawings/shapes.hpp"
#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {

FollowedWait finalize_wait_state() {
  return {
      .metric =
          Metric{
              .name = "mpi_finalize_wait",
              .display = "Wait at Finalize",
              .parent = "mpi_init_exit",
              .unit = Unit::kSeconds,
              .description = "Time in MPI_Finalize before the last process had entered it.",
              .explanation = "MPI_Finalize ends when all processes have come. Each process is "
                             "charged the time from its own arrival to that of the last one.\n"
                             "Typical causes: one process writes results or prints a summary while "
                             "the others are done; work that is uneven at the very end.\n"
                             "What to try: write results in parallel; look at what the last "
                             "processes do between their last communication and MPI_Finalize.\n",
              .formula = "min(latest enter, own leave) - own enter",
              .advice = "Look at what the last processes do between their last communication and "
                        "MPI_Finalize.",
          },
      .order = 20,
      .waiting = true,
      .polling = 0,
      .causes = OwnCauses{.delay = "delay_finalize", .split = "finalize", .chain = "finalize"},
      .drawing = one_call("MPI_Finalize"),
  };
}

}  // namespace latecomer::patterns
