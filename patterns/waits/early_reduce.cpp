// SPDX-License-Identifier: BSD-3-Clause
// Early Reduce: its record.
#include "patterns/waits/early_reduce.hpp"

#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {
namespace {

using enum Drawing::Kind;

}  // namespace

FollowedWait early_reduce_state() {
  return {
      .metric =
          Metric{
              .name = "mpi_earlyreduce",
              .display = "Early Reduce",
              .parent = "mpi_collective",
              .unit = Unit::kSeconds,
              .description =
                  "Time the root of an N-to-1 operation waited for the first contribution.",
              .explanation =
                  "The root of MPI_Reduce or MPI_Gather was there before any other process had "
                  "begun the operation. It is charged the time until the first of them came.\n"
                  "Typical causes: the root has less work than the others, for instance because it "
                  "only coordinates.\n"
                  "What to try: give the root more of the work, or let it enter the operation "
                  "later; MPI_Ireduce and MPI_Igather let it compute in the meantime.\n",
              .formula =
                  "min(earliest enter of another process, leave of the root) - enter of the root",
              .advice = "Give the root more of the work, or let it enter the operation later.",
          },
      .order = 70,
      .waiting = true,
      .polling = 4,
      .causes = OwnCauses{.delay = "delay_n21", .split = "earlyreduce", .chain = "earlyreduce"},
      .drawing = Drawing{{"root", "rank 1", "rank 2"},
                         {{0, 0, 14, kWork, ""},
                          {0, 14, 52, kWait, "waits"},
                          {0, 52, 88, kCall, "MPI_Reduce"},
                          {0, 88, 100, kWork, ""},
                          {1, 0, 52, kWork, "computes"},
                          {1, 52, 66, kCall, ""},
                          {1, 66, 100, kWork, ""},
                          {2, 0, 66, kWork, "computes"},
                          {2, 66, 80, kCall, ""},
                          {2, 80, 100, kWork, ""}},
                         {{1, 54, 0, 64}, {2, 68, 0, 82}},
                         {}},
  };
}

}  // namespace latecomer::patterns
