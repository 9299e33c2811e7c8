// SPDX-License-Identifier: BSD-3-Clause
// The metrics in which an archive says what the kernel did with a thread, and what was counted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "archive/layout.hpp"

namespace latecomer::convert {

struct KernelMetric {
  const char* name;
  const char* description;
  const char* unit;
  std::int64_t exponent;  // the unit is 10 to this power of `unit`
};

inline constexpr std::array<KernelMetric, 4> kKernelMetrics = {{
    {layout::kMetricPreempted, "time without a core, although the thread could run", "s", -9},
    {layout::kMetricBlocked, "time blocked in the kernel, and then until a core was free", "s", -9},
    {layout::kMetricPageFaults, "page faults, in steps of 64", "#", 0},
    {layout::kMetricMigrations, "times that the thread went on on another core", "#", 0},
}};
// All of them belong to one metric class.
inline constexpr std::uint32_t kKernelMetricClass = 0;

// Their values since the begin, between two MPI calls or regions.
using KernelTotals = std::array<std::uint64_t, kKernelMetrics.size()>;

struct MetricTotals {
  KernelTotals kernel{};
  std::vector<std::uint64_t> counters;  // those that the user chose; empty before the first values
};

}  // namespace latecomer::convert
