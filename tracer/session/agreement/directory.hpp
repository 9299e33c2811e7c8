// SPDX-License-Identifier: BSD-3-Clause
// The experiment directory: made by one process, never over an existing experiment.
#pragma once

#include <cstdint>
#include <string>

#include "archive/result.hpp"

namespace latecomer::session {

enum class Existing { kRefuse, kOverwrite, kNextNumber };

// Rules for a directory that exists. `run` is scan's name of the run; empty without scan. An
// experiment of the same run belongs to another program of it, which ended or still runs. It is
// kept, and this program gets the next number.
struct Rules {
  Existing existing = Existing::kRefuse;
  std::string run;
};

// Creates `name` with the folder for records in it, and returns its absolute path. Relative names
// count from the current directory; missing parents are made. A directory with only scan's own
// files (log, settings) is used as it is. Overwriting removes only the files of an experiment; a
// directory with other files is refused.
[[nodiscard]] Result<std::string> make_experiment_directory(const std::string& name,
                                                            const Rules& rules, int from = 0);

// Number of the first directory from `from` on that can be used here under `rules`; with_number()
// appends it to the name. Below 2 it is the name itself. The result is `from`, unless kNextNumber
// or an earlier program of the run requires another number.
[[nodiscard]] int free_number(const std::string& name, const Rules& rules, int from);
[[nodiscard]] std::string with_number(const std::string& name, int number);

// The absolute name, without a slash at the end; the name itself on an error.
[[nodiscard]] std::string absolute_name(const std::string& name);

// True if an experiment, or what is left of one, is at `path`.
[[nodiscard]] bool holds_experiment(const std::string& path);

// A mark at `path` is seen by the processes that share the directory with the process that left it.
// `token` is a random number of the run, `maker` the rank that made the directory. False: see
// errno.
[[nodiscard]] bool leave_mark(const std::string& path, std::uint64_t token, int maker);
[[nodiscard]] bool sees_mark(const std::string& path, std::uint64_t token, int maker);
void remove_mark(const std::string& path, std::uint64_t token, int maker);

// Removes a directory in which nothing has been recorded; scan's files stay.
void discard(const std::string& path);

// Default name: latecomer_<program>_<ranks>_trace.
[[nodiscard]] std::string default_directory_name(const std::string& program, int ranks);

}  // namespace latecomer::session
