// SPDX-License-Identifier: BSD-3-Clause
// Early Wait and Late Complete: their entries in the metric tree.
#include "patterns/waits/early_wait.hpp"

namespace latecomer::patterns {

Metric early_wait_metric() {
  return {
      .name = "mpi_rma_early_wait",
      .display = "Early Wait",
      .parent = "mpi_rma_sync_active",
      .unit = Unit::kSeconds,
      .description = "Time in MPI_Win_wait before the last origin had called MPI_Win_complete.",
      .explanation =
          "MPI_Win_wait ends an exposure epoch: it cannot return before all processes of the group "
          "have called MPI_Win_complete.\n"
          "Typical causes: the origins have more work, or more to transfer, than the owner of the "
          "window.\n"
          "What to try: do work that does not need the window before MPI_Win_wait, or ask with "
          "MPI_Win_test in between; even out the work.\n",
      .formula = "min(enter of the last MPI_Win_complete, own leave) - own enter",
      .advice = "Do work that does not need the window before MPI_Win_wait, or even out the work.",
  };
}

Metric late_complete_metric() {
  return {
      .name = "mpi_rma_late_complete",
      .display = "Late Complete",
      .parent = "mpi_rma_early_wait",
      .unit = Unit::kSeconds,
      .description =
          "Time in MPI_Win_wait behind the last transfer, before the last MPI_Win_complete.",
      .explanation =
          "The part of Early Wait in which all transfers to this window had returned, but some "
          "origin "
          "had not yet ended its epoch.\n"
          "What to try: call MPI_Win_complete right behind the last transfer.\n",
      .formula = "the end of Early Wait - max(leave of the last transfer, own enter)",
      .advice = "Call MPI_Win_complete right behind the last transfer.",
  };
}

}  // namespace latecomer::patterns
