// SPDX-License-Identifier: BSD-3-Clause
// Statistics of the waits as the file that viewers of CUBE reports read, and as JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "analyzer/replay/statistics.hpp"
#include "patterns/metric.hpp"

namespace latecomer::replay {

// Times are seconds since the beginning of the trace. One record per metric that has any waits: its
// name, count, mean, median, minimum, maximum, sum; from two waits on the variance, from five on
// the quartiles; then the worst instances, at most one per call path.
[[nodiscard]] std::string statistics_text(std::span<const MetricStatistics> statistics,
                                          const patterns::MetricTree& metrics,
                                          std::uint64_t ticks_per_second);

// The same with exact quartiles throughout, and the ten worst instances with their causes.
[[nodiscard]] nlohmann::json statistics_json(std::span<const MetricStatistics> statistics,
                                             const patterns::MetricTree& metrics,
                                             std::uint64_t ticks_per_second);

}  // namespace latecomer::replay
