// SPDX-License-Identifier: BSD-3-Clause
// Late Post: its records, in synchronization and in transfers.
#include "patterns/waits/late_post.hpp"

#include <string>
#include <utility>

#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {
namespace {

using enum Drawing::Kind;

// A target opens its window late.
Drawing late_post(const std::string& call) {
  return {{"origin", "target"},
          {{0, 0, 18, kWork, ""},
           {0, 18, 58, kWait, "waits"},
           {0, 58, 84, kCall, call},
           {0, 84, 100, kWork, ""},
           {1, 0, 58, kWork, "still computes"},
           {1, 58, 70, kCall, ""},
           {1, 70, 100, kWork, ""}},
          {{1, 60, 0, 74}},
          {{58, "MPI_Win_post"}}};
}

Metric late_post_metric(std::string name, std::string parent, const std::string& where) {
  return {
      .name = std::move(name),
      .display = "Late Post",
      .parent = std::move(parent),
      .unit = Unit::kSeconds,
      .description = "Time in " + where + " before the last target had called MPI_Win_post.",
      .explanation =
          "Data can move in an access epoch (MPI_Win_start to MPI_Win_complete) only when the "
          "targets have opened their windows with MPI_Win_post. Which call waits for that is up to "
          "the MPI library: the time is charged to the one that was going on when the last target "
          "posted, from its beginning.\n"
          "Typical causes: a target has more work before it posts.\n"
          "What to try: post as early as the window's memory may be accessed; start the epoch "
          "later, after work that does not need it.\n",
      .formula = "enter of the last MPI_Win_post - enter of the call that was going on then",
      .advice = "Let targets post as early as the memory of the window may be accessed.",
  };
}

}  // namespace

FollowedWait sync_late_post_state() {
  return {
      .metric = late_post_metric("mpi_rma_sync_late_post", "mpi_rma_sync_active",
                                 "MPI_Win_start or MPI_Win_complete"),
      .order = 140,
      .waiting = true,
      .polling = 0,
      .causes =
          OwnCauses{
              .delay = "delay_rma_late_post", .split = "rma_late_post", .chain = "rma_late_post"},
      .drawing = late_post("Win_start"),
  };
}

OtherWait comm_late_post_state() {
  return {
      .metric = late_post_metric("mpi_rma_comm_late_post", "mpi_rma_communication",
                                 "one-sided transfers"),
      .order = 190,
      .waiting = true,
      .polling = 0,
      .caused_like = WaitKind::kLatePost,
      .drawing = late_post("MPI_Put"),
  };
}

}  // namespace latecomer::patterns
