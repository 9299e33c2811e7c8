// SPDX-License-Identifier: BSD-3-Clause
// Waits in collective calls on files: their records.
#include "patterns/waits/file_wait.hpp"

#include "patterns/drawings/shapes.hpp"
#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {
namespace {

constexpr const char* kFormula = "latest enter - own enter, if no process left before";

}  // namespace

FollowedWait file_io_wait_state() {
  return {
      .metric =
          Metric{
              .name = "mpi_io_collective_wait",
              .display = "Wait at Collective File I/O",
              .parent = "mpi_io_collective",
              .unit = Unit::kSeconds,
              .description = "Time in collective reads and writes before the last process of the "
                             "file had come.",
              .explanation =
                  "In MPI_File_write_all, MPI_File_read_at_all and their like the processes of a "
                  "file exchange data before some of them access it. MPI does not promise that "
                  "they wait for each other: where no process left the call before the last one "
                  "had entered they did, and each is charged the time from its own entry to that "
                  "of the last one. Where one left before, nothing is charged. The two halves of "
                  "split operations are calls of their own; those with a request "
                  "(MPI_File_iwrite_all) are not looked at.\n"
                  "Typical causes: uneven work before the output; one process that prepares it, or "
                  "writes something on its own before; a delay that came from elsewhere.\n"
                  "What to try: see what the processes that hardly wait do before the call, and "
                  "even it out; write less often; let MPI_File_iwrite_all or the split calls run "
                  "while the others compute; open the file on a communicator of those that "
                  "write.\n",
              .formula = kFormula,
              .advice = "Find the processes that hardly wait here: they come last to the file.",
          },
      .order = 220,
      .waiting = true,
      .polling = 0,
      .causes =
          OwnCauses{
              .delay = "delay_file", .split = "file", .chain = "file", .display = "Wait at Files"},
      .drawing = one_call("File_write_all"),
  };
}

OtherWait file_management_wait_state() {
  return {
      .metric =
          Metric{
              .name = "mpi_mgmt_file_wait",
              .display = "Wait at File Management",
              .parent = "mpi_mgmt_file",
              .unit = Unit::kSeconds,
              .description = "Time in MPI_File_open, MPI_File_close, MPI_File_set_view and their "
                             "like before the last process of the file had come.",
              .explanation =
                  "All processes of a communicator open a file together, and close it together. "
                  "Together they call MPI_File_sync, MPI_File_preallocate, MPI_File_seek_shared, "
                  "and what sets the view, the size, the atomicity, or information as well. Most "
                  "MPI libraries let them wait for each other in some of these. Where no process "
                  "left the call before the last one had entered, each is charged the time from "
                  "its own entry to that of the last one. (Traces of other tools do not tell the "
                  "file of calls that set something.)\n"
                  "Typical causes: uneven work before a file is opened or closed; one process that "
                  "accesses the file on its own for longer than the others.\n"
                  "What to try: open files once and keep them, and their views; open them where "
                  "the processes are in step anyway; open a file that one process uses on "
                  "MPI_COMM_SELF.\n",
              .formula = kFormula,
              .advice = "Open files once and keep them, or where the processes are in step anyway.",
          },
      .order = 40,
      .waiting = true,
      .polling = 0,
      .caused_like = WaitKind::kFile,
      .drawing = one_call("MPI_File_open"),
  };
}

}  // namespace latecomer::patterns
