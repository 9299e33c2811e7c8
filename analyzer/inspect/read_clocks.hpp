// SPDX-License-Identifier: BSD-3-Clause
// Reads the clock measurements of a trace for the view.
#pragma once

#include <filesystem>

#include "analyzer/view/summary/clocks.hpp"
#include "archive/result.hpp"

namespace latecomer::cli {

// Archives of other tools have only clock offsets. Problems are those of reading an archive.
[[nodiscard]] Result<view::ClockInfo> read_clocks(const std::filesystem::path& experiment);

}  // namespace latecomer::cli
