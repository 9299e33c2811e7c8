// SPDX-License-Identifier: BSD-3-Clause
// Measurements of the clocks of a run: as text, JSON, and a drawing.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "archive/result.hpp"

namespace latecomer::view {

// All times are in seconds. An offset is the amount to add to a clock to get the clock of rank 0.
struct ClockInfo {
  struct Point {
    double at = 0;  // time of this clock since its first measurement
    double offset = 0;
    double error = 0;  // upper bound; negative: unknown
  };
  struct Clock {
    std::uint32_t leader = 0;          // lowest rank that reads this clock
    std::vector<std::uint32_t> ranks;  // all ranks that read it
    std::string node, metahost;
    std::vector<Point> points;  // ascending; empty for the clock of rank 0 and if never measured
    // Change of the offset per second, from the first to the last point.
    [[nodiscard]] double drift() const;
  };
  struct Latency {
    std::string a, b;  // metahosts; twice the same: within it
    double minimum = 0;
  };
  std::string program, scheme;  // scheme is empty if the archive does not state it
  std::uint32_t moments = 0;    // number of times at which clocks were measured
  std::vector<Clock> clocks;    // by leader
  std::vector<Latency> latencies;
};

// A table of the clocks, and the shortest latencies.
[[nodiscard]] std::string clocks_text(const ClockInfo& info);
[[nodiscard]] nlohmann::ordered_json clocks_json(const ClockInfo& info);
// Draws the change of each clock's offset since its first measurement over time, with error bars;
// one line per clock. A Problem if no clock was measured twice.
[[nodiscard]] Result<std::string> clocks_svg(const ClockInfo& info);

}  // namespace latecomer::view
