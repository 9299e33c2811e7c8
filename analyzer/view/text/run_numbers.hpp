// SPDX-License-Identifier: BSD-3-Clause
// Defines numbers of a whole run that are not metrics of a report: they have no call paths and no
// ranks.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "analyzer/report/extras/extras.hpp"
#include "archive/result.hpp"

namespace latecomer::view {

inline constexpr const char* kWaiting = "waiting";  // a sum of metrics, so it has both

// A number of a whole run.
struct RunNumber {
  const char* name;     // unique name, as of a metric: "run_time"
  const char* display;  // "Run time"
  const char* unit;     // "sec", or "ratio", which is shown in percent
  const char* meaning;  // sentences
  // The value in a report, if it is there; null for "waiting", which is a sum of metrics.
  std::optional<double> (*value)(const report::Extras& extras);
};

// All numbers, in the order in which they are listed.
[[nodiscard]] std::span<const RunNumber> run_numbers();
// Finds a number by its name or display name, ignoring case; null if there is none.
[[nodiscard]] const RunNumber* find_run_number(const std::string& name);
// The value in a report; nothing if it is not there. Not for "waiting".
[[nodiscard]] std::optional<double> value_of_run(const RunNumber& number,
                                                 const report::Extras& extras);

// A run that was only watched does not tell something.
[[nodiscard]] Problem untold_by_watched(const std::string& report, const std::string& name);

// Texts for `latecomer explain`.
[[nodiscard]] std::string explain_text(const RunNumber& number);
[[nodiscard]] nlohmann::ordered_json explain_json(const RunNumber& number);
[[nodiscard]] std::string run_numbers_list();

// "12.35 s", "81.2 %"
[[nodiscard]] std::string run_number_text(const RunNumber& number, double value);

}  // namespace latecomer::view
