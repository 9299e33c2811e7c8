// SPDX-License-Identifier: BSD-3-Clause
// Late Neighbor: its entry in the metric tree.
#include "patterns/waits/late_neighbor.hpp"

namespace latecomer::patterns {

Metric late_neighbor_metric() {
  return {
      .name = "mpi_late_neighbor",
      .display = "Late Neighbor",
      .parent = "mpi_collective",
      .unit = Unit::kSeconds,
      .description =
          "Time processes waited in a neighborhood operation for a neighbor to enter it.",
      .explanation =
          "In MPI_Neighbor_alltoall, MPI_Neighbor_allgather and their like a process gets data of "
          "its neighbors in a Cartesian or graph topology, and of nobody else. It is charged the "
          "time from its own entry to the entry of the last of those neighbors. Operations with "
          "counts of their own for each neighbor are looked at only where the trace says that all "
          "of them are positive.\n"
          "Typical causes: neighbors with more work, as at the border of a refined part of a grid; "
          "a delay that wanders through the grid from neighbor to neighbor.\n"
          "What to try: see which processes hardly wait: their neighbors wait for them. Even out "
          "the work; start the exchange with MPI_Ineighbor_alltoall, compute what needs no data of "
          "others, and complete it then.\n",
      .formula = "min(latest enter of a neighbor that sends data here, own leave) - own enter",
      .advice =
          "See which processes hardly wait: their neighbors wait for them; even out the work.",
  };
}

}  // namespace latecomer::patterns
