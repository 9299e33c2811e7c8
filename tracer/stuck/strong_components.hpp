// SPDX-License-Identifier: BSD-3-Clause
// Ranks that wait for each other in circles.
#pragma once

#include <cstdint>
#include <vector>

namespace latecomer::stuck {

// Strongly connected components of the graph of those that wait: `edges[i]` are the nodes for which
// node i waits. Only nodes with `included` count; others may be named. Each component is sorted. A
// node that is in no circle is a component of its own.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> strong_components(
    const std::vector<std::vector<std::uint32_t>>& edges, const std::vector<bool>& included);

}  // namespace latecomer::stuck
