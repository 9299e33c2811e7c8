// SPDX-License-Identifier: BSD-3-Clause
// Draws metrics that are not wait states, but about some: causes, chains, the critical path,
// imbalance.
#pragma once

#include <optional>
#include <string_view>

#include "patterns/drawings/drawing.hpp"

namespace latecomer::patterns {

// Nothing if the metric is none of these.
[[nodiscard]] std::optional<Drawing> cause_drawing_of(std::string_view metric);

}  // namespace latecomer::patterns
