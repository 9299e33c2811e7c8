// SPDX-License-Identifier: BSD-3-Clause
// The experiment directory: made by one process, never over an existing experiment.
#pragma once

#include <cstdint>
#include <string>

#include "archive/result.hpp"

namespace latecomer::session {

enum class Existing { kRefuse, kOverwrite, kNextNumber };

// What to do with what is there already. `run` is what scan has named its run; empty without scan.
// An experiment of the same run is one of a program that it started before, or that runs now: it
// stays what it is, and this program gets the next number.
struct Rules {
  Existing existing = Existing::kRefuse;
  std::string run;
};

// Creates `name` (relative names count from the current directory, missing parents are made) with
// the folder for records in it, and returns its absolute path. A directory that holds nothing but
// scan's own files (log, settings) is taken as it is. Overwriting removes the files of an
// experiment and nothing else; a directory with other files is refused.
[[nodiscard]] Result<std::string> make_experiment_directory(const std::string& name,
                                                            const Rules& rules, int from = 0);

// The number behind the name of the first directory from `from` on that can be taken with `rules`
// here: below 2 is the name as it is. Without kNextNumber and programs before that is `from`.
[[nodiscard]] int free_number(const std::string& name, const Rules& rules, int from);
[[nodiscard]] std::string with_number(const std::string& name, int number);

// Absolute, without a slash at the end. An error leaves the name as it is.
[[nodiscard]] std::string absolute_name(const std::string& name);

// Whether an experiment, or what is left of one, is at `path`.
[[nodiscard]] bool holds_experiment(const std::string& path);

// A mark that is found at `path` by those who see the same directory as the process that left it.
// `token` is a random number of the run, `maker` the rank that made the directory. False: errno.
[[nodiscard]] bool leave_mark(const std::string& path, std::uint64_t token, int maker);
[[nodiscard]] bool sees_mark(const std::string& path, std::uint64_t token, int maker);
void remove_mark(const std::string& path, std::uint64_t token, int maker);

// Takes a directory back in which nothing has been recorded; scan's files stay.
void discard(const std::string& path);

// Name without a setting: latecomer_<program>_<ranks>_trace.
[[nodiscard]] std::string default_directory_name(const std::string& program, int ranks);

}  // namespace latecomer::session
