// SPDX-License-Identifier: BSD-3-Clause
// JSON of a report.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tracer/watch/view/watch_report.hpp"

namespace latecomer::watch {

// Times are integers in nanoseconds. docs/reference.md describes the members.
[[nodiscard]] nlohmann::ordered_json json_of(const WatchReport& report);

inline constexpr const char* kWatchFormat = "latecomer watch 1";

// Word for a state; there are so many.
inline constexpr std::size_t kStates = 5;
[[nodiscard]] const char* state_name(UnfinishedRank::State state);

// Word for what a rank does that others wait for; there are so many.
inline constexpr std::size_t kDoings = 5;
[[nodiscard]] const char* doing_name(LateRank::Doing doing);

// Places of counts in a report, by their names in JSON.
using NamedCounts = std::vector<std::pair<const char*, std::int64_t*>>;
[[nodiscard]] NamedCounts counts_of(WatchReport& report);
[[nodiscard]] NamedCounts left_out_of(WatchReport& report);

// Counts of all that was left out, by reason; also those that are 0.
[[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> left_out(const WatchReport& report);

}  // namespace latecomer::watch
