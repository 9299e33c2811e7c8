// SPDX-License-Identifier: BSD-3-Clause
// N x N Completion: its entry in the metric tree.
#include "patterns/waits/nxn_completion.hpp"

namespace latecomer::patterns {

Metric nxn_completion_metric() {
  return {
      .name = "mpi_nxn_completion",
      .display = "N x N Completion",
      .parent = "mpi_collective",
      .unit = Unit::kSeconds,
      .description = "Time in N x N operations after the first process had left them.",
      .explanation =
          "In an operation in which everybody needs data of everybody (MPI_Allreduce, "
          "MPI_Alltoall, ...) the first process that leaves has all it needs. What the others "
          "still spend inside is the end of the algorithm.\n"
          "Typical causes: algorithms that finish in steps, slower links of some processes, "
          "large messages.\n"
          "What to try: if it is large compared with Wait at N x N, the operation itself is the "
          "cost: smaller data, fewer processes, another algorithm of the MPI library.\n",
      .formula = "own leave - max(latest enter, earliest leave)",
      .advice =
          "If it is large, the operation itself is the cost: less data, or another algorithm.",
  };
}

}  // namespace latecomer::patterns
