// SPDX-License-Identifier: BSD-3-Clause
// The raw clock measurements that archives of our own tracer have in their properties.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/trace/definitions/definitions.hpp"
#include "archive/result.hpp"
#include "sync/clock_tree.hpp"

namespace latecomer::trace {

// Measurements of all moments and schemes.
[[nodiscard]] std::vector<sync::Measurement> measurements_of(const Definitions& definitions);

// The lowest rank that reads the same clock as `rank`, if the archive has that information.
[[nodiscard]] std::optional<std::uint32_t> clock_of(const Definitions& definitions,
                                                    std::uint32_t rank);

// Per location the function from its local time to the time of rank 0, from the measurements of one
// scheme. Problem: the run has several clocks, and that scheme was not measured.
[[nodiscard]] Result<std::vector<sync::PiecewiseLinear>> times_by_scheme(
    const Definitions& definitions, sync::Scheme scheme);

}  // namespace latecomer::trace
