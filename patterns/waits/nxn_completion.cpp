// SPDX-License-Identifier: BSD-3-Clause
// N x N Completion: its record.
#include "patterns/waits/nxn_completion.hpp"

#include "patterns/drawings/shapes.hpp"
#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {

OtherWait nxn_completion_state() {
  return {
      .metric =
          Metric{
              .name = "mpi_nxn_completion",
              .display = "N x N Completion",
              .parent = "mpi_collective",
              .unit = Unit::kSeconds,
              .description = "Time in N x N operations after the first process had left them.",
              .explanation =
                  "In an operation in which every process needs data of all others (MPI_Allreduce, "
                  "MPI_Alltoall, ...) the first process that leaves has all it needs. What the "
                  "others still spend inside is the end of the algorithm.\n"
                  "Typical causes: algorithms that finish in steps, slower links of some "
                  "processes, large messages.\n"
                  "What to try: if it is large compared with Wait at N x N, the operation itself "
                  "is the cost: smaller data, fewer processes, another algorithm of the MPI "
                  "library.\n",
              .formula = "own leave - max(latest enter, earliest leave)",
              .advice = "If it is large, the operation itself is the cost: less data, or another "
                        "algorithm.",
          },
      .order = 270,
      .waiting = false,
      .polling = 0,
      .caused_like = std::nullopt,
      .drawing = completion("MPI_Allreduce"),
  };
}

}  // namespace latecomer::patterns
