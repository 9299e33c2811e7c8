// SPDX-License-Identifier: BSD-3-Clause
// Wait for Progress: its entries in the metric tree, in synchronization and in transfers.
#include "patterns/waits/wait_for_progress.hpp"

#include <string>

namespace latecomer::patterns {
namespace {

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
          "next enter of the target into MPI - own enter, if the target was outside and the "
          "call lasted longer",
      .advice = "Let targets call MPI now and then, or switch on asynchronous progress.",
  };
}

}  // namespace

Metric sync_wait_for_progress_metric() {
  return progress_metric("mpi_rma_sync_wait_for_progress", "mpi_rma_sync_passive",
                         "locking, unlocking and flushing");
}

Metric comm_wait_for_progress_metric() {
  return progress_metric("mpi_rma_comm_wait_for_progress", "mpi_rma_communication",
                         "one-sided transfers");
}

}  // namespace latecomer::patterns
