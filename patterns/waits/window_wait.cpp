// SPDX-License-Identifier: BSD-3-Clause
// Waits in collective calls on windows: their entries in the metric tree.
#include "patterns/waits/window_wait.hpp"

#include <string>

namespace latecomer::patterns {
namespace {

constexpr auto s = Unit::kSeconds;

Metric management(std::string name, std::string display, std::string verb) {
  return {
      .name = std::move(name),
      .display = std::move(display),
      .parent = "mpi_mgmt_win",
      .unit = s,
      .description = "Time in calls that " + verb + " windows before the last process had come.",
      .explanation = "All processes of a window " + verb +
                     " it together. Where nobody left the call before the last one had entered, "
                     "the others are "
                     "charged the time until then.\n"
                     "Typical causes: uneven work before the call; processes that initialize more "
                     "than others.\n"
                     "What to try: make windows once, and free them at the end of the program.\n",
      .formula = "latest enter - own enter, if nobody left before",
      .advice = "Make windows once, and free them at the end of the program.",
  };
}

}  // namespace

Metric wait_at_create_metric() {
  return management("mpi_rma_wait_at_create", "Wait at Create", "create");
}

Metric wait_at_free_metric() { return management("mpi_rma_wait_at_free", "Wait at Free", "free"); }

Metric wait_at_fence_metric() {
  return {
      .name = "mpi_rma_wait_at_fence",
      .display = "Wait at Fence",
      .parent = "mpi_rma_sync_active",
      .unit = s,
      .description = "Time in MPI_Win_fence before the last process of the window had come.",
      .explanation =
          "A fence that ends an epoch is a barrier of all processes of the window. Where nobody "
          "left "
          "it before the last one had entered, the others are charged the time until then. Some "
          "fences do not synchronize, such as the first one; in those nothing is charged.\n"
          "Typical causes: uneven work between two fences; transfers that take longer on some "
          "processes.\n"
          "What to try: even out the work; synchronize only with those that exchange data, by "
          "MPI_Win_post, MPI_Win_start and their counterparts; tell MPI what it needs not do with "
          "MPI_MODE_NOPRECEDE and MPI_MODE_NOSUCCEED.\n",
      .formula = "latest enter - own enter, if nobody left before",
      .advice = "Even out the work between fences, or synchronize only those that exchange data.",
  };
}

Metric early_fence_metric() {
  return {
      .name = "mpi_rma_early_fence",
      .display = "Early Fence",
      .parent = "mpi_rma_wait_at_fence",
      .unit = s,
      .description =
          "Time in MPI_Win_fence while others still accessed the window of this process.",
      .explanation =
          "The part of Wait at Fence up to the return of the last transfer that others made to or "
          "from the memory of this process.\n"
          "Typical causes: the process has less to transfer than its partners; transfers are done "
          "at "
          "the end of a phase.\n"
          "What to try: start transfers as early as the data is there; compute something that does "
          "not need the window before the fence.\n",
      .formula = "leave of the last transfer to or from here - own enter, within Wait at Fence",
      .advice = "Start transfers as early as the data is there.",
  };
}

}  // namespace latecomer::patterns
