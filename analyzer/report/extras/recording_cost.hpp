// SPDX-License-Identifier: BSD-3-Clause
// The time that the measurement of a run took, and what of it was taken out of the times.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

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

// Key "compensation": overhead that was taken out of the times of the report. In seconds.
struct Compensation {
  // Names of the kinds of overhead, in the order of replay::OverheadKind.
  static constexpr std::array<const char*, 5> kKinds = {"mpi_events", "region_events", "stacks",
                                                        "samples", "flushes"};
  std::string method;                             // local, parallel
  std::array<double, kKinds.size()> taken_out{};  // sum of all locations
  std::int64_t stretches = 0;                     // number of stretches that were taken out
  double missing = 0;                    // costs that the time between two events had no room for
  double inside = 0;                     // overhead inside of calls that wait, which is left there
  double recorded = 0, compensated = 0;  // run time
  double seconds_per_mpi_event = 0, seconds_per_region_event = 0;
  std::optional<double> spread;     // of these costs, relative; the larger one
  std::int64_t contradictions = 0;  // needs that were dropped, since recorded times contradict

  [[nodiscard]] double all() const;
  // A sentence for the reader, which begins after the number of stretches.
  [[nodiscard]] std::string text() const;
};

void write(JsonWriter& out, const Compensation& compensation);
void write(JsonWriter& out, const Measurement& measurement);
// Reads the costs of events, which views show; nothing if `json` is not an object.
[[nodiscard]] std::optional<Measurement> measurement_from_json(const nlohmann::json& json);

}  // namespace latecomer::report
