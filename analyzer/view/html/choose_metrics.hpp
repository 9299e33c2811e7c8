// SPDX-License-Identifier: BSD-3-Clause
// Which metrics of a report go into the page.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/report/read_cube.hpp"

namespace latecomer::view {

// Ascending: those named, with what is above and below them. If no name is given, all but those
// that the report hides. A name is one that find_metric() takes; its Problem names the nearest.
[[nodiscard]] Result<std::vector<std::uint32_t>> choose_metrics(
    const report::Report& report, const std::vector<std::string>& names);

}  // namespace latecomer::view
