// SPDX-License-Identifier: BSD-3-Clause
// Files of a finished archive that are missing or cut: something happened to them since.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace latecomer::convert {

// Names beside the anchor, in the order of locations: "traces/2.evt". `is_part`: other directories
// have events, too, so that only what is cut is lost. Where the definitions of the archive cannot
// be read, these alone: "traces.def".
[[nodiscard]] std::vector<std::string> lost_files(const std::filesystem::path& anchor,
                                                  bool is_part);

}  // namespace latecomer::convert
