// SPDX-License-Identifier: BSD-3-Clause
// Lock Contention: its records, in synchronization and in transfers.
#include "patterns/waits/lock_contention.hpp"

#include <string>
#include <utility>

#include "patterns/drawings/shapes.hpp"
#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {
namespace {

Metric lock_contention_metric(std::string name, std::string parent, const std::string& where) {
  return {
      .name = std::move(name),
      .display = "Lock Contention",
      .parent = std::move(parent),
      .unit = Unit::kSeconds,
      .description = "Time in " + where + " while another process held the lock of the window.",
      .explanation =
          "An exclusive lock of a window keeps all other processes out, a shared one those that "
          "want an exclusive one. MPI may wait for the lock in MPI_Win_lock, in a transfer, or in "
          "MPI_Win_unlock; the time is charged to the call that was going on when the process that "
          "had the lock before unlocked it.\n"
          "Typical causes: many processes update the memory of one; long epochs with exclusive "
          "locks.\n"
          "What to try: shared locks with atomic operations (MPI_Accumulate, MPI_Fetch_and_op) "
          "instead of exclusive ones; shorter epochs; spread what is updated over several "
          "processes.\n",
      .formula = "enter of the unlock by the holder before - enter of the call that was going on",
      .advice = "Hold exclusive locks shorter, or use shared locks with atomic operations.",
  };
}

}  // namespace

FollowedWait sync_lock_contention_state() {
  return {
      .metric = lock_contention_metric("mpi_rma_sync_lock_competition", "mpi_rma_sync_passive",
                                       "locking and unlocking"),
      .order = 170,
      .waiting = true,
      .polling = 0,
      .causes = OwnCauses{.delay = "delay_rma_lock", .split = "rma_lock", .chain = "rma_lock"},
      .drawing = lock("Win_lock"),
  };
}

OtherWait comm_lock_contention_state() {
  return {
      .metric = lock_contention_metric("mpi_rma_comm_lock_competition", "mpi_rma_communication",
                                       "one-sided transfers"),
      .order = 200,
      .waiting = true,
      .polling = 0,
      .caused_like = WaitKind::kLock,
      .drawing = lock("MPI_Put"),
  };
}

}  // namespace latecomer::patterns
