// SPDX-License-Identifier: BSD-3-Clause
// Early Wait and Late Complete: their records.
#include "patterns/waits/early_wait.hpp"

#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {
namespace {

using enum Drawing::Kind;

}  // namespace

FollowedWait early_wait_state() {
  return {
      .metric =
          Metric{
              .name = "mpi_rma_early_wait",
              .display = "Early Wait",
              .parent = "mpi_rma_sync_active",
              .unit = Unit::kSeconds,
              .description =
                  "Time in MPI_Win_wait before the last origin had called MPI_Win_complete.",
              .explanation =
                  "MPI_Win_wait ends an exposure epoch: it cannot return before all processes of "
                  "the group have called MPI_Win_complete.\n"
                  "Typical causes: the origins have more work, or more to transfer, than the owner "
                  "of the window.\n"
                  "What to try: do work that does not need the window before MPI_Win_wait, or ask "
                  "with MPI_Win_test in between; even out the work.\n",
              .formula = "min(enter of the last MPI_Win_complete, own leave) - own enter",
              .advice = "Do work that does not need the window before MPI_Win_wait, or even out "
                        "the work.",
          },
      .order = 150,
      .waiting = true,
      .polling = 0,
      .causes = OwnCauses{.delay = "delay_rma_early_wait",
                          .split = "rma_early_wait",
                          .chain = "rma_early_wait"},
      .drawing = Drawing{{"origin", "target"},
                         {{0, 0, 20, kWork, ""},
                          {0, 20, 36, kCall, "put"},
                          {0, 36, 62, kWork, "computes"},
                          {0, 62, 78, kCall, ""},
                          {0, 78, 100, kWork, ""},
                          {1, 0, 26, kWork, ""},
                          {1, 26, 62, kWait, "waits"},
                          {1, 62, 84, kCall, "Win_wait"},
                          {1, 84, 100, kWork, ""}},
                         {{0, 64, 1, 82}},
                         {{62, "MPI_Win_complete"}}},
  };
}

OtherWait late_complete_state() {
  return {
      .metric =
          Metric{
              .name = "mpi_rma_late_complete",
              .display = "Late Complete",
              .parent = "mpi_rma_early_wait",
              .unit = Unit::kSeconds,
              .description =
                  "Time in MPI_Win_wait after the last transfer, before the last MPI_Win_complete.",
              .explanation = "The part of Early Wait in which all transfers to this window had "
                             "returned, but some origin had not yet ended its epoch.\n"
                             "What to try: call MPI_Win_complete right after the last transfer.\n",
              .formula = "the end of Early Wait - max(leave of the last transfer, own enter)",
              .advice = "Call MPI_Win_complete right after the last transfer.",
          },
      .order = 290,
      .waiting = false,
      .polling = 0,
      .caused_like = std::nullopt,
      .drawing = Drawing{{"origin", "target"},
                         {{0, 0, 24, kWork, ""},
                          {0, 24, 40, kCall, "put"},
                          {0, 40, 66, kWork, "computes"},
                          {0, 66, 80, kCall, ""},
                          {0, 80, 100, kWork, ""},
                          {1, 0, 14, kWork, ""},
                          {1, 14, 40, kCall, "Win_wait"},
                          {1, 40, 66, kWait, "counts"},
                          {1, 66, 84, kCall, ""},
                          {1, 84, 100, kWork, ""}},
                         {{0, 68, 1, 82}},
                         {{66, "MPI_Win_complete"}}},
  };
}

}  // namespace latecomer::patterns
