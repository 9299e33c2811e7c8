// SPDX-License-Identifier: BSD-3-Clause
// Finds the drawing of a metric.
#pragma once

#include <optional>
#include <string_view>

#include "patterns/drawings/drawing.hpp"

namespace latecomer::patterns {

// The drawing of a metric, by its unique name. There are drawings of wait states and their parts,
// of everything about them (causes, chains, polling, metahosts), of the critical path and of
// imbalance. Nothing if the metric is a sum or a count.
[[nodiscard]] std::optional<Drawing> drawing_of(std::string_view metric);
// True if the metric is in the table of drawings; false if it is drawn like another one.
[[nodiscard]] bool is_drawn_by_itself(std::string_view metric);

}  // namespace latecomer::patterns
