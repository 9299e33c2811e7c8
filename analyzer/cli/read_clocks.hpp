// SPDX-License-Identifier: BSD-3-Clause
// Clock measurements of a trace for the view.
#pragma once

#include <filesystem>

#include "analyzer/view/clocks.hpp"
#include "archive/result.hpp"

namespace latecomer::cli {

// Of archives of other tools: the clock offsets that they hold. Problems: as for reading an
// archive.
[[nodiscard]] Result<view::ClockInfo> read_clocks(const std::filesystem::path& experiment);

}  // namespace latecomer::cli
