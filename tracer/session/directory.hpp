// SPDX-License-Identifier: BSD-3-Clause
// The experiment directory: made by one process, never over an existing experiment.
#pragma once

#include <string>

#include "archive/result.hpp"

namespace latecomer::session {

enum class Existing { kRefuse, kOverwrite, kNextNumber };

// Creates `name` (relative names count from the current directory, missing parents are made) with
// the folder for records in it, and returns its absolute path. A directory that holds nothing but
// scan's own files (log, settings) is taken as it is. Overwriting removes the files of an
// experiment and nothing else; a directory with other files is refused.
[[nodiscard]] Result<std::string> make_experiment_directory(const std::string& name,
                                                            Existing existing);

// Name without a setting: latecomer_<program>_<ranks>_trace.
[[nodiscard]] std::string default_directory_name(const std::string& program, int ranks);

}  // namespace latecomer::session
