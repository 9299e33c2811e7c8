// SPDX-License-Identifier: BSD-3-Clause
// Files of a finished archive that are missing or cut, because something happened to them later.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace latecomer::convert {

// Names beside the anchor, in the order of locations: "traces/2.evt". `is_part`: other directories
// have events, too, so a missing file is not lost, only a cut one. If the definitions of the
// archive cannot be read, they are the only name: "traces.def".
[[nodiscard]] std::vector<std::string> lost_files(const std::filesystem::path& anchor,
                                                  bool is_part);

}  // namespace latecomer::convert
