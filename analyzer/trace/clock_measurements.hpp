// SPDX-License-Identifier: BSD-3-Clause
// The raw measurements of clocks that an archive of ours keeps in its properties.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/trace/definitions.hpp"
#include "archive/result.hpp"
#include "sync/clock_tree.hpp"

namespace latecomer::trace {

// Of all moments and schemes.
[[nodiscard]] std::vector<sync::Measurement> measurements_of(const Definitions& definitions);

// The lowest rank that reads the same clock as `rank`, if the archive says it.
[[nodiscard]] std::optional<std::uint32_t> clock_of(const Definitions& definitions,
                                                    std::uint32_t rank);

// Per location the function from its local time to that of rank 0, from the measurements of one
// scheme. Problem: the run has several clocks, and they were not measured by that scheme.
[[nodiscard]] Result<std::vector<sync::PiecewiseLinear>> times_by_scheme(
    const Definitions& definitions, sync::Scheme scheme);

}  // namespace latecomer::trace
