// SPDX-License-Identifier: BSD-3-Clause
// What the analysis found out about clocks, and how it corrected times.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/report/extras/json_writer.hpp"

namespace latecomer::report {

// Key "clocks"; times are in seconds:
//
//   {"count": 2,
//    "latency": {"node": 1e-9, "metahost": 2e-6, "external": 5e-4},
//    "scheme": "measured",
//    "steps": [{"name": "linear", "messages": 12, "reversed_messages": 3, "collectives": 1,
//               "reversed_collectives": 0, "largest": 4e-5, "sum": 9e-5,
//               "pairs": [{"from": "bonn", "to": "juelich", "messages": 12, ...}]},
//              {"name": "clc", ...}],
//    "events_moved": 4711, "largest_shift": 4.1e-5,
//    "largest_growth": 1e-5, "interval_distortion": 0.4,
//    "jumps": 7, "largest_jump": 4e-5, "gamma": 0.999, "avalanche": false, "contradiction": false}
struct Clocks {
  // Messages and exits of collective operations that are earlier than MPI allows; "reversed": even
  // if messages took no time.
  struct Violations {
    std::uint64_t messages = 0, reversed_messages = 0;
    std::uint64_t collectives = 0, reversed_collectives = 0;
    [[nodiscard]] std::uint64_t all() const { return messages + collectives; }
  };
  struct Pair {
    std::string from, to;  // metahosts
    Violations violations;
  };
  // The state after a step of the correction. The first step is "none" if local times were wanted,
  // otherwise "linear".
  struct Step {
    std::string name;
    Violations violations;
    double largest = 0, sum = 0;  // times by which messages and exits are too early
    std::vector<Pair> pairs;      // of metahosts, if there are several
  };
  // Exists if events were moved.
  struct Moved {
    std::int64_t events = 0;
    double largest_shift = 0, largest_growth = 0, interval_distortion = 0;
  };
  // Exists if the controlled logical clock moved them.
  struct LogicalClock {
    std::int64_t jumps = 0;
    double largest_jump = 0, gamma = 0;
    bool avalanche = false, contradiction = false;
  };
  // Shortest times of messages between two clocks.
  struct Latency {
    double node = 0, metahost = 0, external = 0;
  };

  std::uint64_t count = 0;
  Latency latency;
  std::optional<std::string> scheme;  // of offset measurements, if one was asked for
  std::vector<Step> steps;
  std::optional<Moved> moved;
  std::optional<LogicalClock> logical_clock;
};

void write(JsonWriter& out, const Clocks& clocks);
// Reads the number of clocks and the violations after each step, which views show. Nothing if
// `json`, or one of the steps, is not an object.
[[nodiscard]] std::optional<Clocks> clocks_from_json(const nlohmann::json& json);

}  // namespace latecomer::report
