// SPDX-License-Identifier: BSD-3-Clause
// Wait for Progress: its records, in synchronization and in transfers.
#include "patterns/waits/wait_for_progress.hpp"

#include <string>
#include <utility>

#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {
namespace {

using enum Drawing::Kind;

// A target computes while the call needs the target's MPI library.
Drawing progress(const std::string& call) {
  return {{"origin", "target"},
          {{0, 0, 18, kWork, ""},
           {0, 18, 62, kWait, "waits"},
           {0, 62, 84, kCall, call},
           {0, 84, 100, kWork, ""},
           {1, 0, 62, kWork, "computes, outside of MPI"},
           {1, 62, 76, kCall, ""},
           {1, 76, 100, kWork, ""}},
          {{1, 64, 0, 78}},
          {{62, "the target enters MPI"}}};
}

Metric progress_metric(std::string name, std::string parent, const std::string& where) {
  return {
      .name = std::move(name),
      .display = "Wait for Progress",
      .parent = std::move(parent),
      .unit = Unit::kSeconds,
      .description = "Time in " + where + " until the target entered MPI.",
      .explanation =
          "Locks and transfers to the memory of another process may need the help of that "
          "process's MPI library, which works only while the process is in some MPI call. If it "
          "computes, the call that needs it lasts until it calls MPI again. Charged is the time "
          "from the entry of the call to the entry of the target into MPI, if the target was "
          "outside of MPI when the call began and the call was still going on when it came.\n"
          "Typical causes: targets that compute for long without calling MPI; MPI libraries or "
          "networks without asynchronous progress.\n"
          "What to try: a progress thread or hardware support, if the MPI library has it "
          "(MPICH_ASYNC_PROGRESS and its like); an MPI call now and then in long computations of "
          "the target, such as MPI_Iprobe; transfers at a time when the target communicates.\n",
      .formula =
          "next enter of the target into MPI - own enter, if the target was outside and the call "
          "lasted longer",
      .advice = "Let targets call MPI now and then, or switch on asynchronous progress.",
  };
}

}  // namespace

FollowedWait sync_wait_for_progress_state() {
  return {
      .metric = progress_metric("mpi_rma_sync_wait_for_progress", "mpi_rma_sync_passive",
                                "locking, unlocking and flushing"),
      .order = 180,
      .waiting = true,
      .polling = 0,
      .causes =
          OwnCauses{
              .delay = "delay_rma_progress", .split = "rma_progress", .chain = "rma_progress"},
      .drawing = progress("Win_unlock"),
  };
}

OtherWait comm_wait_for_progress_state() {
  return {
      .metric = progress_metric("mpi_rma_comm_wait_for_progress", "mpi_rma_communication",
                                "one-sided transfers"),
      .order = 210,
      .waiting = true,
      .polling = 0,
      .caused_like = WaitKind::kProgress,
      .drawing = progress("MPI_Put"),
  };
}

}  // namespace latecomer::patterns
