// SPDX-License-Identifier: BSD-3-Clause
// Chooses the metrics of a report that go into the page.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/report/cube/read_cube.hpp"

namespace latecomer::view {

// Returns the indices of the chosen metrics, ascending: those that are named, with their ancestors
// and descendants. If none is named, all except those that the report hides. Names are those that
// find_metric() takes; its Problem names the nearest one.
[[nodiscard]] Result<std::vector<std::uint32_t>> choose_metrics(
    const report::Report& report, const std::vector<std::string>& names);

}  // namespace latecomer::view
