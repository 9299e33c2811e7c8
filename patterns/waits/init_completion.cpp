// SPDX-License-Identifier: BSD-3-Clause
// Initialization Completion: its record.
#include "patterns/waits/init_completion.hpp"

#include "patterns/drawings/shapes.hpp"
#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {

OtherWait init_completion_state() {
  return {
      .metric =
          Metric{
              .name = "mpi_init_completion",
              .display = "Initialization Completion",
              .parent = "mpi_init_exit",
              .unit = Unit::kSeconds,
              .description = "Time in MPI_Init after the first process had left it.",
              .explanation = "MPI_Init connects all processes. Once the last process has entered "
                             "it and the first one has left it, what the others still spend there "
                             "is their own setting up.\n"
                             "Typical causes: slow start of processes on some nodes, a network or "
                             "a file system that many processes ask at once.\n"
                             "What to try: compare the nodes; start fewer processes per node or "
                             "use the launcher that belongs to the MPI library. It is paid once "
                             "per run, so it matters in short runs only.\n",
              .formula = "own leave - max(latest enter, earliest leave)",
              .advice = "It is paid once per run: compare the nodes, and use the launcher that "
                        "belongs to the MPI library.",
          },
      .order = 10,
      .waiting = false,
      .polling = 0,
      .caused_like = std::nullopt,
      .drawing = completion("MPI_Init"),
  };
}

}  // namespace latecomer::patterns
