// SPDX-License-Identifier: BSD-3-Clause
// Wait at N x N: its record.
#include "patterns/waits/wait_nxn.hpp"

#include "patterns/drawings/shapes.hpp"
#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {

FollowedWait wait_nxn_state() {
  return {
      .metric =
          Metric{
              .name = "mpi_wait_nxn",
              .display = "Wait at N x N",
              .parent = "mpi_collective",
              .unit = Unit::kSeconds,
              .description =
                  "Time in operations from all to all before the last process had entered.",
              .explanation =
                  "In MPI_Allreduce, MPI_Allgather(v), MPI_Alltoall, MPI_Reduce_scatter and "
                  "MPI_Reduce_scatter_block every process needs data of every other one, so none "
                  "can finish before the last has entered. Each process is charged the time from "
                  "its own entry to the entry of the last contributor. MPI_Alltoallv and "
                  "MPI_Alltoallw count only where the trace says that every process sends "
                  "something to every other one: else some process may send nothing to you, and "
                  "you do not have to wait for it.\n"
                  "Typical causes: uneven work before the operation; one process that does "
                  "something extra (output, a serial part); a delay that came from elsewhere, for "
                  "example from a late message; disturbance by the operating system, which shows "
                  "as small waits everywhere.\n"
                  "What to try: find the processes that hardly wait, they are the ones that come "
                  "last, and see what they do before the call. Even out the work; call the "
                  "operation less often (test convergence every few steps, combine several small "
                  "reductions into one); use the nonblocking form and compute while it runs.\n",
              .formula = "min(latest enter of a process that contributes, own leave) - own enter",
              .advice = "Find the processes that hardly wait here: they come last, look at what "
                        "they do before the call.",
          },
      .order = 100,
      .waiting = true,
      .polling = 7,
      .causes = OwnCauses{.delay = "delay_n2n", .split = "nxn", .chain = "nxn"},
      .drawing = one_call("MPI_Allreduce"),
  };
}

}  // namespace latecomer::patterns
