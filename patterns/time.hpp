// SPDX-License-Identifier: BSD-3-Clause
// Points in time and spans of time as the formulas use them: integers in ticks of the trace.
#pragma once

#include <algorithm>
#include <cstdint>

namespace latecomer::patterns {

using Ticks = std::int64_t;     // a point in time
using Duration = std::int64_t;  // a span between two points

// Only time that was really lost counts: what comes out negative is no waiting.
[[nodiscard]] constexpr Duration positive(Duration d) { return std::max<Duration>(d, 0); }

}  // namespace latecomer::patterns
