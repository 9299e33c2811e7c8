// SPDX-License-Identifier: BSD-3-Clause
// State of a recorded run from MPI_Init to MPI_Finalize. Inside tracer/session only.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "tracer/exchange/group.hpp"
#include "tracer/record/writer.hpp"
#include "tracer/session/agreement/parts.hpp"
#include "tracer/session/clocks/clock_exchange.hpp"
#include "tracer/session/last_word.hpp"
#include "tracer/state/process.hpp"

namespace latecomer::session {

struct Run {
  std::unique_ptr<exchange::Group> group;
  // The tracer's own: no message of the program can interfere. MPI_COMM_NULL if the group needs no
  // MPI. Then all processes are on one node, and share its clock and the directory.
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int size = 0;
  Part part;  // the experiment directory
  std::unique_ptr<ClockMeasurement> clocks;
};

inline Run* run() { return process().session.run; }  // null if nothing is recorded

// Logs the place of this process in its world, the settings of the run, and its clock.
void define_process(int provided, const std::string& metahost, const Part& part,
                    const record::ClockDefinition& clock);

// Moves all records to files in `directory`; later records go there, too.
[[nodiscard]] Status open_files(const std::string& directory);

// The user's rules for an experiment that exists already.
[[nodiscard]] Rules rules_of_directory();
// Name of the experiment directory: the one the user chose, otherwise the default.
[[nodiscard]] std::string wanted_directory(int size);
// True for spawned processes, and for a further program of a run of scan: their directory is not
// the one that scan looks at.
[[nodiscard]] bool is_aside();

// Begin and end of recording in this process alone, if some processes of the world do not record.
void begin_apart(int provided);
void end_apart();

// Logs the losses of all threads of this process and returns their sum.
record::Losses log_losses();
// Ends the files of all threads, and the log.
void close_writers();
void close_log();

// Checks that the settings about recording less fit a run of this size.
[[nodiscard]] Status check_recording_less(int size);

// Adds to the last word what was not recorded: because of a size, or a window that never opened.
void tell_recording_less(LastWord& word);

// Prints one line to the user.
void say(const std::string& text);

}  // namespace latecomer::session
