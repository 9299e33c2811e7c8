// SPDX-License-Identifier: BSD-3-Clause
// Late Contributor: its record.
#include "patterns/waits/late_contributor.hpp"

#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {
namespace {

using enum Drawing::Kind;

}  // namespace

FollowedWait late_contributor_state() {
  return {
      .metric =
          Metric{
              .name = "mpi_late_contributor",
              .display = "Late Contributor",
              .parent = "mpi_collective",
              .unit = Unit::kSeconds,
              .description = "Time the root of an N-to-1 operation waited for the last "
                             "contribution, from the first one on.",
              .explanation =
                  "The root of MPI_Reduce or MPI_Gather cannot leave before all processes have "
                  "begun the operation. It is charged the time from the first of them (or its own "
                  "begin, if that is later) to the last. Early Reduce is the time before. In "
                  "between the root may have taken the data of those that had come.\n"
                  "Typical causes: one process has more work than the others before the "
                  "operation, or was held up.\n"
                  "What to try: even out the work before the operation; MPI_Ireduce and "
                  "MPI_Igather let the root compute in the meantime.\n",
              .formula = "min(latest enter of another process, leave of the root) - max(earliest "
                         "enter of another process, enter of the root)",
              .advice = "Even out the work that the processes have before the operation.",
          },
      .order = 75,
      .waiting = true,
      .polling = 0,
      .causes = OwnCauses{.delay = "delay_late_contributor",
                          .split = "late_contributor",
                          .chain = "late_contributor"},
      .drawing = Drawing{{"root", "rank 1", "rank 2"},
                         {{0, 0, 14, kWork, ""},
                          {0, 14, 30, kCall, ""},
                          {0, 30, 66, kWait, "waits"},
                          {0, 66, 88, kCall, "Reduce"},
                          {0, 88, 100, kWork, ""},
                          {1, 0, 30, kWork, "computes"},
                          {1, 30, 44, kCall, ""},
                          {1, 44, 100, kWork, ""},
                          {2, 0, 66, kWork, "computes"},
                          {2, 66, 80, kCall, ""},
                          {2, 80, 100, kWork, ""}},
                         {{1, 32, 0, 42}, {2, 68, 0, 82}},
                         {}},
  };
}

}  // namespace latecomer::patterns
