// SPDX-License-Identifier: BSD-3-Clause
// Initialization Completion: its entry in the metric tree.
#include "patterns/waits/init_completion.hpp"

namespace latecomer::patterns {

Metric init_completion_metric() {
  return {
      .name = "mpi_init_completion",
      .display = "Initialization Completion",
      .parent = "mpi_init_exit",
      .unit = Unit::kSeconds,
      .description = "Time in MPI_Init after the first process had left it.",
      .explanation =
          "MPI_Init connects all processes. Once the last process has entered it and the first "
          "one has left it, what the others still spend there is their own setting up.\n"
          "Typical causes: slow start of processes on some nodes, a network or a file system "
          "that many processes ask at once.\n"
          "What to try: compare the nodes; start fewer processes per node or use the launcher "
          "that belongs to the MPI library. It is paid once per run, so it matters in short "
          "runs only.\n",
      .formula = "own leave - max(latest enter, earliest leave)",
      .advice =
          "It is paid once per run: compare the nodes, and use the launcher that belongs to the "
          "MPI library.",
  };
}

}  // namespace latecomer::patterns
