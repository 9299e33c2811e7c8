// SPDX-License-Identifier: BSD-3-Clause
// What lives from MPI_Init to MPI_Finalize. Inside tracer/session only.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "tracer/record/writer.hpp"
#include "tracer/session/clock_exchange.hpp"
#include "tracer/session/last_word.hpp"
#include "tracer/session/parts.hpp"

namespace latecomer::session {

struct Run {
  MPI_Comm comm = MPI_COMM_NULL;  // ours alone: no message of the program can get in between
  int rank = 0;
  int size = 0;
  Part part;  // the experiment directory
  std::unique_ptr<ClockMeasurement> clocks;
};

extern Run* run;  // null where nothing is recorded

// The place of this process in its world, the settings of the run, and its clock, to the log.
void define_process(int provided, const std::string& metahost, const Part& part,
                    const record::ClockDefinition& clock);

// Records go to files from here on.
[[nodiscard]] Status open_files(const std::string& directory);

// What the user wants done where an experiment is already.
[[nodiscard]] Rules rules_of_directory();
// The name of the experiment's directory that the user wants, if any, else the usual one.
[[nodiscard]] std::string wanted_directory(int size);

// Records of this process alone, where some processes of the world do not record.
void begin_apart(int provided);
void end_apart();

// Losses of all threads of this process to the log.
record::Losses log_losses();
// The end of the log, and of what threads write.
void close_writers();
void close_log();

// Whether the settings about recording less fit a run of this size.
[[nodiscard]] Status check_recording_less(int size);

// At the end: what was not recorded because of a size, or a window that never opened.
void tell_recording_less(LastWord& word);

// One line to the user.
void say(const std::string& text);

}  // namespace latecomer::session
