// SPDX-License-Identifier: BSD-3-Clause
// The time that the measurement of a run took.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "analyzer/report/extras/json_writer.hpp"

namespace latecomer::report {

// Key "measurement". Members that are nothing have no key: they were not measured, or are zero.
struct Measurement {
  struct Counted {
    std::int64_t count = 0;
    double seconds = 0;
  };
  std::uint64_t events = 0;      // of all locations
  double seconds_per_event = 0;  // mean of all events
  double seconds = 0;            // spent on recording
  double fraction = 0;           // of the processor time, or of the run time of all ranks
  std::optional<double> processor_seconds;
  std::optional<Counted> region_events, filtered_events, stacks, samples, flushes;
  std::optional<double> seconds_for_threads;
  std::optional<std::int64_t> unsuccessful_polls;  // in rows, which are recorded as one
};

void write(JsonWriter& out, const Measurement& measurement);
// Reads the costs of events, which views show; nothing if `json` is not an object.
[[nodiscard]] std::optional<Measurement> measurement_from_json(const nlohmann::json& json);

}  // namespace latecomer::report
