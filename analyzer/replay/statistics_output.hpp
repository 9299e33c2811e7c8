// SPDX-License-Identifier: BSD-3-Clause
// The statistics of waits as the file that viewers of CUBE reports read, and for the report.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "analyzer/booking/statistics.hpp"
#include "analyzer/report/extras/wait_statistics.hpp"
#include "patterns/metric/metric.hpp"

namespace latecomer::replay {

// Text of the statistics file. Times are seconds since the beginning of the trace. Each metric with
// waits has a record: name, count, mean, median, minimum, maximum, sum. The variance follows if
// there are at least two waits, the quartiles if there are at least five. Then come the worst
// instances, at most one per call path.
[[nodiscard]] std::string statistics_text(std::span<const MetricStatistics> statistics,
                                          const patterns::MetricTree& metrics,
                                          std::uint64_t ticks_per_second);

// The same values, always with quartiles, and the ten worst instances with their causes.
[[nodiscard]] report::AllWaitStatistics wait_statistics(
    std::span<const MetricStatistics> statistics, const patterns::MetricTree& metrics,
    std::uint64_t ticks_per_second);

}  // namespace latecomer::replay
