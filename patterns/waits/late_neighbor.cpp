// SPDX-License-Identifier: BSD-3-Clause
// Late Neighbor: its record.
#include "patterns/waits/late_neighbor.hpp"

#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {
namespace {

using enum Drawing::Kind;

}  // namespace

FollowedWait late_neighbor_state() {
  return {
      .metric =
          Metric{
              .name = "mpi_late_neighbor",
              .display = "Late Neighbor",
              .parent = "mpi_collective",
              .unit = Unit::kSeconds,
              .description =
                  "Time processes waited in a neighborhood operation for a neighbor to enter it.",
              .explanation =
                  "In MPI_Neighbor_alltoall, MPI_Neighbor_allgather and their like a process gets "
                  "data of its neighbors in a Cartesian or graph topology, and of no other "
                  "process. It is charged the time from its own entry to the entry of the last of "
                  "those neighbors. Operations with counts of their own for each neighbor are "
                  "looked at only where the trace says that all of them are positive.\n"
                  "Typical causes: neighbors with more work, as at the border of a refined part of "
                  "a grid; a delay that wanders through the grid from neighbor to neighbor.\n"
                  "What to try: see which processes hardly wait: their neighbors wait for them. "
                  "Even out the work; start the exchange with MPI_Ineighbor_alltoall, compute what "
                  "needs no data of others, and complete it then.\n",
              .formula =
                  "min(latest enter of a neighbor that sends data here, own leave) - own enter",
              .advice = "See which processes hardly wait: their neighbors wait for them; even out "
                        "the work.",
          },
      .order = 110,
      .waiting = true,
      .polling = 8,
      .causes = OwnCauses{.delay = "delay_neighbor", .split = "neighbor", .chain = "neighbor"},
      .drawing = Drawing{{"rank 0", "rank 1", "neighbor"},
                         {{0, 0, 20, kWork, ""},
                          {0, 20, 70, kWait, "waits"},
                          {0, 70, 86, kCall, ""},
                          {0, 86, 100, kWork, ""},
                          {1, 0, 50, kWork, ""},
                          {1, 50, 70, kWait, "waits"},
                          {1, 70, 86, kCall, ""},
                          {1, 86, 100, kWork, ""},
                          {2, 0, 70, kWork, "still computes"},
                          {2, 70, 80, kCall, ""},
                          {2, 80, 100, kWork, ""}},
                         {{2, 72, 1, 84}},
                         {}},
  };
}

}  // namespace latecomer::patterns
