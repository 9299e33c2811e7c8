// SPDX-License-Identifier: BSD-3-Clause
// Waits in collective calls on windows: their records.
#include "patterns/waits/window_wait.hpp"

#include <string>
#include <utility>

#include "patterns/drawings/shapes.hpp"
#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {
namespace {

using enum Drawing::Kind;

Metric management(std::string name, std::string display, const std::string& verb) {
  return {
      .name = std::move(name),
      .display = std::move(display),
      .parent = "mpi_mgmt_win",
      .unit = Unit::kSeconds,
      .description = "Time in calls that " + verb + " windows before the last process had come.",
      .explanation = "All processes of a window " + verb +
                     " it together. Where no process left the call before the last one had "
                     "entered, the others are charged the time until then.\n"
                     "Typical causes: uneven work before the call; processes that initialize more "
                     "than others.\n"
                     "What to try: make windows once, and free them at the end of the program.\n",
      .formula = "latest enter - own enter, if no process left before",
      .advice = "Make windows once, and free them at the end of the program.",
  };
}

}  // namespace

FollowedWait wait_at_create_state() {
  return {
      .metric = management("mpi_rma_wait_at_create", "Wait at Create", "create"),
      .order = 120,
      .waiting = true,
      .polling = 0,
      .causes =
          OwnCauses{.delay = "delay_rma_create", .split = "rma_create", .chain = "rma_create"},
      .short_names = {"wait_at_create"},
      .drawing = one_call("MPI_Win_create"),
  };
}

FollowedWait wait_at_free_state() {
  return {
      .metric = management("mpi_rma_wait_at_free", "Wait at Free", "free"),
      .order = 130,
      .waiting = true,
      .polling = 0,
      .causes = OwnCauses{.delay = "delay_rma_free", .split = "rma_free", .chain = "rma_free"},
      .short_names = {"wait_at_free"},
      .drawing = one_call("MPI_Win_free"),
  };
}

FollowedWait wait_at_fence_state() {
  return {
      .metric =
          Metric{
              .name = "mpi_rma_wait_at_fence",
              .display = "Wait at Fence",
              .parent = "mpi_rma_sync_active",
              .unit = Unit::kSeconds,
              .description =
                  "Time in MPI_Win_fence before the last process of the window had come.",
              .explanation =
                  "A fence that ends an epoch is a barrier of all processes of the window. Where "
                  "no process left it before the last one had entered, the others are charged the "
                  "time until then. Some fences do not synchronize, such as the first one; in "
                  "those nothing is charged.\n"
                  "Typical causes: uneven work between two fences; transfers that take longer on "
                  "some processes.\n"
                  "What to try: even out the work; synchronize only with those that exchange data, "
                  "by MPI_Win_post, MPI_Win_start and their counterparts; tell MPI what it needs "
                  "not do with MPI_MODE_NOPRECEDE and MPI_MODE_NOSUCCEED.\n",
              .formula = "latest enter - own enter, if no process left before",
              .advice =
                  "Even out the work between fences, or synchronize only those that exchange data.",
          },
      .order = 160,
      .waiting = true,
      .polling = 0,
      .causes = OwnCauses{.delay = "delay_rma_fence", .split = "rma_fence", .chain = "rma_fence"},
      .drawing = one_call("MPI_Win_fence"),
  };
}

OtherWait early_fence_state() {
  return {
      .metric =
          Metric{
              .name = "mpi_rma_early_fence",
              .display = "Early Fence",
              .parent = "mpi_rma_wait_at_fence",
              .unit = Unit::kSeconds,
              .description =
                  "Time in MPI_Win_fence while others still accessed the window of this process.",
              .explanation = "The part of Wait at Fence up to the return of the last transfer that "
                             "others made to or from the memory of this process.\n"
                             "Typical causes: the process has less to transfer than its partners; "
                             "transfers are done at the end of a phase.\n"
                             "What to try: start transfers as early as the data is there; compute "
                             "something that does not need the window before the fence.\n",
              .formula =
                  "leave of the last transfer to or from here - own enter, within Wait at Fence",
              .advice = "Start transfers as early as the data is there.",
          },
      .order = 280,
      .waiting = false,
      .polling = 0,
      .caused_like = std::nullopt,
      .drawing = Drawing{{"origin", "target"},
                         {{0, 0, 36, kWork, ""},
                          {0, 36, 64, kCall, "MPI_Put"},
                          {0, 64, 74, kWork, ""},
                          {0, 74, 84, kCall, ""},
                          {0, 84, 100, kWork, ""},
                          {1, 0, 22, kWork, ""},
                          {1, 22, 64, kWait, "waits"},
                          {1, 64, 84, kCall, "fence"},
                          {1, 84, 100, kWork, ""}},
                         {{0, 40, 1, 62}},
                         {}},
  };
}

}  // namespace latecomer::patterns
