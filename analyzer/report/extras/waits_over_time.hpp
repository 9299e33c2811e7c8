// SPDX-License-Identifier: BSD-3-Clause
// Waiting over time, as a report states it.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/report/extras/json_writer.hpp"

namespace latecomer::report {

// Key "time_slices": the run in equal slices.
struct TimeSlices {
  // Seconds by slice, one list per metahost.
  using Metahosts = std::vector<std::vector<double>>;

  std::size_t count = 0;
  double seconds = 0;                        // length of a slice
  std::map<std::string, Metahosts> metrics;  // metrics that have waits
};

void write(JsonWriter& out, const TimeSlices& slices);
// Nothing if there are no slices, or not their length or metrics. Metrics are left out whose lists
// are malformed.
[[nodiscard]] std::optional<TimeSlices> time_slices_from_json(const nlohmann::json& json);

}  // namespace latecomer::report
