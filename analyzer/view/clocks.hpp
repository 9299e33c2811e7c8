// SPDX-License-Identifier: BSD-3-Clause
// What was measured of the clocks of a run: as text, JSON, and a drawing.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "archive/result.hpp"

namespace latecomer::view {

// All times are seconds. Offsets are what has to be added to a clock to get that of rank 0.
struct ClockInfo {
  struct Point {
    double at = 0;  // time of the clock itself, since its first measurement
    double offset = 0;
    double error = 0;  // bound; negative: unknown
  };
  struct Clock {
    std::uint32_t leader = 0;          // lowest rank that reads it
    std::vector<std::uint32_t> ranks;  // all of them
    std::string node, metahost;
    std::vector<Point> points;  // ascending; empty: rank 0's, or never measured
    [[nodiscard]] double drift()
        const;  // change of the offset per second, from first to last point
  };
  struct Latency {
    std::string a, b;  // metahosts; the same one twice: inside it
    double minimum = 0;
  };
  std::string program, scheme;  // scheme is empty if the archive does not say
  std::uint32_t moments = 0;    // times at which clocks were measured
  std::vector<Clock> clocks;    // by leader
  std::vector<Latency> latencies;
};

[[nodiscard]] std::string clocks_text(const ClockInfo& info);
[[nodiscard]] nlohmann::ordered_json clocks_json(const ClockInfo& info);
// Offset of each clock over time, less its first one, with error bars; one line per clock.
// Problem: no clock was measured twice.
[[nodiscard]] Result<std::string> clocks_svg(const ClockInfo& info);

}  // namespace latecomer::view
