// SPDX-License-Identifier: BSD-3-Clause
// Management of teams: its entries in the metric tree.
#include "patterns/waits/thread_management.hpp"

namespace latecomer::patterns {

Metric omp_management_metric() {
  return {
      .name = "omp_management",
      .display = "Management",
      .parent = "omp_time",
      .unit = Unit::kSeconds,
      .description = "Time threads needed to get into parallel regions of OpenMP, and out again.",
      .explanation =
          "From the moment the master creates a team until the thread begins the parallel region, "
          "and from its end there until the master goes on alone. It is charged to the parallel "
          "region on each thread.\n"
          "Typical causes: many short parallel regions; threads that had been put to sleep; more "
          "threads than cores.\n"
          "What to try: one larger parallel region around several loops; OMP_WAIT_POLICY=active; "
          "bind threads to cores; do short loops with one thread (if clause).\n",
      .formula = "enter of the region - fork + join - leave of the region",
      .advice = "Make parallel regions fewer and larger.",
  };
}

Metric omp_fork_metric() {
  return {
      .name = "omp_fork",
      .display = "Fork",
      .parent = "omp_management",
      .unit = Unit::kSeconds,
      .description = "Time threads needed to get into parallel regions of OpenMP.",
      .explanation =
          "The first part of Management: creating or waking the threads of a team.\n"
          "What to try: as for Management.\n",
      .formula = "enter of the region - fork",
      .advice = "Make parallel regions fewer and larger.",
  };
}

}  // namespace latecomer::patterns
