// SPDX-License-Identifier: BSD-3-Clause
// Early Reduce: its entry in the metric tree.
#include "patterns/waits/early_reduce.hpp"

namespace latecomer::patterns {

Metric early_reduce_metric() {
  return {
      .name = "mpi_earlyreduce",
      .display = "Early Reduce",
      .parent = "mpi_collective",
      .unit = Unit::kSeconds,
      .description = "Time the root of an N-to-1 operation waited for the first contribution.",
      .explanation =
          "The root of MPI_Reduce or MPI_Gather was there before any other process had begun "
          "the operation. It is charged the time until the first of them came.\n"
          "Typical causes: the root has less work than the others, for instance because it only "
          "coordinates.\n"
          "What to try: give the root more of the work, or let it enter the operation later; "
          "MPI_Ireduce and MPI_Igather let it compute in the meantime.\n",
      .formula = "min(earliest enter of another process, leave of the root) - enter of the root",
      .advice = "Give the root more of the work, or let it enter the operation later.",
  };
}

}  // namespace latecomer::patterns
