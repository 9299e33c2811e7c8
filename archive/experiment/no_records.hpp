// SPDX-License-Identifier: BSD-3-Clause
// Tells the user what an experiment has instead of records.
#pragma once

#include <string>

#include "archive/result.hpp"

namespace latecomer {

// Name of the statistics of a run that scan has watched, in the directory of its experiment.
inline constexpr const char* kWatchReport = "watch.json";
inline constexpr const char* kWatchReportPart = "watch.json.part";  // while it is written
// Key of a run that is watched, and addresses of the agents of its hosts; until its end.
inline constexpr const char* kAgents = "agents";
// Line in the settings of a run that was only watched.
inline constexpr const char* kOnlyWatchedInSettings = "# only watched";

// The run was watched, and no trace was recorded: scan has noted that. False without its notes.
[[nodiscard]] bool was_only_watched(const std::string& directory);

// How to make a report of a run that was only watched, if scan did not make one.
[[nodiscard]] std::string hint_of_profile(const std::string& directory);

// The next step for a user who asks for the records of an experiment that has none.
[[nodiscard]] std::string hint_without_records(const std::string& directory);

// Says that there are none.
[[nodiscard]] Problem without_records(const std::string& directory);

// Gives the same hint if the run was watched and has no trace. It is empty if it was not.
[[nodiscard]] std::string hint_of_watched_run(const std::string& directory);

}  // namespace latecomer
