// SPDX-License-Identifier: BSD-3-Clause
// Minimum latencies of the links over which offsets were measured.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sync/measurement.hpp"

namespace latecomer::sync {

// Smallest half round trip inside a metahost (a == b) or between two (a < b, numbers of metahosts).
struct Latency {
  std::int64_t a = 0;
  std::int64_t b = 0;
  Nanoseconds minimum = 0;
  friend bool operator==(const Latency&, const Latency&) = default;
};

// One per pair of metahosts with a measurement, in ascending order. `metahost_of` maps world ranks.
[[nodiscard]] std::vector<Latency> latencies(
    std::span<const Measurement> measurements,
    const std::function<std::int64_t(ClockId)>& metahost_of);

// The text is "inside 0 21500;between 0 1 988000".
[[nodiscard]] std::string to_text(std::span<const Latency> latencies);
[[nodiscard]] std::optional<std::vector<Latency>> parse_latencies(std::string_view text);

}  // namespace latecomer::sync
