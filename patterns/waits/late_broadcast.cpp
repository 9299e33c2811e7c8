// SPDX-License-Identifier: BSD-3-Clause
// Late Broadcast: its record.
#include "patterns/waits/late_broadcast.hpp"

#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {
namespace {

using enum Drawing::Kind;

}  // namespace

FollowedWait late_broadcast_state() {
  return {
      .metric =
          Metric{
              .name = "mpi_latebroadcast",
              .display = "Late Broadcast",
              .parent = "mpi_collective",
              .unit = Unit::kSeconds,
              .description =
                  "Time processes waited in a 1-to-N operation for the root to enter it.",
              .explanation = "Nothing can arrive from MPI_Bcast or MPI_Scatter before the root has "
                             "entered it. Processes that were there earlier are charged the time "
                             "until the root came.\n"
                             "Typical causes: the root has work of its own before it distributes "
                             "data: it reads input, computes parameters, or collects results.\n"
                             "What to try: move that work elsewhere or share it; broadcast as soon "
                             "as the data is known; MPI_Ibcast lets the others do something useful "
                             "in the meantime.\n",
              .formula = "min(enter of the root, own leave) - own enter",
              .advice = "Shorten what the root does before the operation, or share that work.",
          },
      .order = 90,
      .waiting = true,
      .polling = 6,
      .causes = OwnCauses{.delay = "delay_12n", .split = "latebroadcast", .chain = "latebroadcast"},
      .drawing = Drawing{{"root", "rank 1", "rank 2"},
                         {{0, 0, 56, kWork, "still computes"},
                          {0, 56, 74, kCall, "Bcast"},
                          {0, 74, 100, kWork, ""},
                          {1, 0, 20, kWork, ""},
                          {1, 20, 56, kWait, "waits"},
                          {1, 56, 80, kCall, ""},
                          {1, 80, 100, kWork, ""},
                          {2, 0, 32, kWork, ""},
                          {2, 32, 56, kWait, "waits"},
                          {2, 56, 84, kCall, ""},
                          {2, 84, 100, kWork, ""}},
                         {{0, 58, 1, 78}, {0, 60, 2, 82}},
                         {}},
  };
}

}  // namespace latecomer::patterns
