// SPDX-License-Identifier: BSD-3-Clause
// Defines points in time and durations as the formulas use them: integers in ticks of the trace.
#pragma once

#include <algorithm>
#include <cstdint>

namespace latecomer::patterns {

using Ticks = std::int64_t;     // a point in time
using Duration = std::int64_t;  // a span between two points

// Only time that was really lost counts: a negative result is no waiting.
[[nodiscard]] constexpr Duration positive(Duration d) { return std::max<Duration>(d, 0); }

}  // namespace latecomer::patterns
