// SPDX-License-Identifier: BSD-3-Clause
// Tells the user what an experiment has instead of records.
#pragma once

#include <string>

namespace latecomer {

// Name of the statistics of a run that scan has watched, in the directory of its experiment.
inline constexpr const char* kWatchReport = "watch.json";

// The next step for a user who asks for the records of an experiment that has none.
[[nodiscard]] std::string hint_without_records(const std::string& directory);

// The same if the run was watched and has no trace; empty if it was not.
[[nodiscard]] std::string hint_of_watched_run(const std::string& directory);

}  // namespace latecomer
